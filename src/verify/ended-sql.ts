/**
 * SQL of the time before which events may be gone, since their time was over (privacy/retention).
 * An event is deleted some minutes later than that, so one whose move is younger is there.
 */
export const LOG_BEGINS = `coalesce((select ended_through from retention_walk where name = 'events'), '-infinity')`;

/** SQL of the time before which rows of the audit log may be gone, likewise. */
export const AUDIT_BEGINS = `coalesce((select ended_through from retention_walk where name = 'audit_log'), '-infinity')`;
