// The columns that the list of the live view can show, as plain data: the schema of config.toml
// makes a zod enum of them, and the view uses them without loading zod.

export const tuiColumns = [
  'state',
  'age',
  'agent',
  'pane',
  'title',
  'branch',
  'folder',
  'context',
] as const;
export type TuiColumn = (typeof tuiColumns)[number];

export const defaultTuiColumns: readonly TuiColumn[] = [
  'state',
  'age',
  'agent',
  'pane',
  'title',
  'branch',
];
