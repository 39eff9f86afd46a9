// What the newest tidy rules do not hold yet. The lists only shrink; an empty one stays empty.

export const exceptions: Readonly<Record<'rooms' | 'cycles' | 'folders', readonly string[]>> = {
  // Layers whose rooms do not import one way.
  rooms: ['agents', 'cli', 'core', 'store'],
  // Layers in which files import each other in a circle.
  cycles: ['agent-files', 'cli', 'operations'],
  // Folders with too many files.
  folders: ['src/cli', 'src/cli/commands', 'src/hooks', 'src/operations', 'src/store', 'src/tui'],
};
