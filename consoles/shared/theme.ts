import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Ink blue: shade 7 carries white text at 6.9 to 1, shade 3 reads on the dark ground at 8 to 1. */
const INK: MantineColorsTuple = [
  '#eaf4fb',
  '#d3e6f3',
  '#a8cde6',
  '#7cb4da',
  '#579fcf',
  '#3c8bbf',
  '#2a74a6',
  '#1f5f8b',
  '#184d72',
  '#113a57',
];

/** The one theme of both consoles: calm, dense, and legible at AA in light and dark. */
export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 7 },
  colors: { ink: INK },
  fontFamily:
    "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' } } },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        transitionProps: { duration: 0 },
        centered: true,
        // A click beside a form would lose what was typed into it. What only shows or asks says that it may be.
        closeOnClickOutside: false,
        closeButtonProps: { 'aria-label': 'Close' },
        // Drawn as a header, which would be a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Menu: { defaultProps: { transitionProps: { duration: 0 } } },
    // Every field of a form is required unless it says that it is not: a star says nothing, and is read aloud.
    TextInput: { defaultProps: { size: 'sm', withAsterisk: false } },
    PasswordInput: { defaultProps: { size: 'sm', withAsterisk: false } },
    Paper: { defaultProps: { withBorder: true } },
  },
});

/** Where the library's own shades are too pale for AA, and the grounds of the two schemes. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f8fa',
    '--mantine-color-dimmed': '#56606b',
    '--mantine-color-placeholder': '#6a7480',
    '--mantine-color-error': '#b3261e',
    '--platen-surface': '#ffffff',
    '--platen-raised': '#ffffff',
    '--platen-line': '#e1e5ea',
    '--platen-hover': '#f0f4f8',
    '--platen-good': '#1c6b3a',
    '--platen-good-ground': '#e3f4e8',
    '--platen-wait': '#7a4b00',
    '--platen-wait-ground': '#fff1d6',
    '--platen-bad': '#a3201a',
    '--platen-bad-ground': '#fde8e6',
    '--platen-busy': '#184d72',
    '--platen-busy-ground': '#e2effa',
    '--platen-still': '#4a535d',
    '--platen-still-ground': '#eceff2',
    '--platen-part-1': '#1f5f8b',
    '--platen-part-2': '#b06a00',
    '--platen-part-3': '#238577',
    '--platen-part-4': '#7b8590',
    '--platen-part-5': '#7d5ba6',
    '--platen-part-6': '#c2453d',
  },
  dark: {
    '--mantine-color-body': '#14181d',
    '--mantine-color-text': '#dde3ea',
    '--mantine-color-dimmed': '#a3adb8',
    '--mantine-color-placeholder': '#8a949f',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-anchor': '#7cb4da',
    '--platen-surface': '#1b2026',
    '--platen-raised': '#22282f',
    '--platen-line': '#303842',
    '--platen-hover': '#242b33',
    '--platen-good': '#8fdcab',
    '--platen-good-ground': '#173324',
    '--platen-wait': '#f5c979',
    '--platen-wait-ground': '#3a2c10',
    '--platen-bad': '#ffaca5',
    '--platen-bad-ground': '#43201d',
    '--platen-busy': '#a8cde6',
    '--platen-busy-ground': '#17344a',
    '--platen-still': '#b9c2cc',
    '--platen-still-ground': '#2a313a',
    '--platen-part-1': '#579fcf',
    '--platen-part-2': '#e0b155',
    '--platen-part-3': '#4fc3b0',
    '--platen-part-4': '#8a949f',
    '--platen-part-5': '#b497d6',
    '--platen-part-6': '#ff8f86',
  },
});
