// The files that the installer of hooks reads and changes, on any machine. It has no rules; each
// function does one thing, bounded in size and time. An error of the system is thrown as a
// FileEditError with a sentence for the user.

/** What is at a path, links followed. */
export interface EditedFacts {
  readonly kind: 'file' | 'folder' | 'other';
  /** Permission bits, as 0o644. */
  readonly mode: number;
}

export interface NewText {
  readonly text: string;
  /** Permission bits of a new file; one that is replaced keeps its own, and its owner. */
  readonly mode: number;
  /** What the caller has read there; null where nothing was. */
  readonly expected: string | null;
}

/** Every path is absolute. A link is followed: its target is read, replaced and removed. */
export interface EditedFiles {
  /** Null where nothing is; also for a link that leads nowhere. */
  readonly facts: (path: string) => Promise<EditedFacts | null>;
  /** The path without links; the path as it is where nothing is. */
  readonly realPath: (path: string) => Promise<string>;
  /** The text with its BOM and its line ends as they are; null where no file is. */
  readonly read: (path: string) => Promise<string | null>;
  /** Replaces a file by renaming; false, and no change, when its content is not as expected. */
  readonly writeAtomically: (path: string, written: NewText) => Promise<boolean>;
  /** Removes a file. False when it is not any more what was expected. */
  readonly remove: (path: string, expected: string) => Promise<boolean>;
  /** Makes a folder and those above it. */
  readonly makeFolder: (path: string, mode: number) => Promise<void>;
  /** The names in a folder, sorted; none where there is no folder. */
  readonly list: (path: string) => Promise<readonly string[]>;
}

/** A file that cannot be edited, as a sentence. */
export class FileEditError extends Error {
  override readonly name = 'FileEditError';
}

/** Configuration files are small; what is larger is none. */
export const FILE_BYTES_MAX = 4_000_000;

/** The text of a file; throws where bytes would be lost by reading them as UTF-8. */
export function decodeFileText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileEditError(`${path} is not UTF-8 text`);
  }
}
