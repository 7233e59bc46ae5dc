/** How a menu of a table opens: within the page, which is a landmark, and the first entry has the focus. */
export const WITHIN = { position: 'bottom-end', withinPortal: false, withInitialFocusPlaceholder: false } as const;
