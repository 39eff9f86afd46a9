// Files that a person pastes or drops onto a terminal. Text that is pasted is the terminal's own
// affair.

/** The service takes no larger one. */
export const DROPPED_BYTES_MAX: number = 8 * 1024 * 1024;
const FILES_MAX = 10;

export interface FileIntake {
  readonly onFiles: (files: readonly File[]) => void;
  readonly onTooLarge: (name: string) => void;
  readonly isOpen: () => boolean;
}

/** Takes files from the element until the signal. */
export function takeFiles(host: HTMLElement, intake: FileIntake, signal: AbortSignal): void {
  const take = (event: Event, data: DataTransfer | null): void => {
    const files = [...(data?.files ?? [])].slice(0, FILES_MAX);
    if (files.length === 0 || !intake.isOpen()) return;
    event.preventDefault();
    event.stopPropagation();
    for (const { name, size } of files) if (size > DROPPED_BYTES_MAX) intake.onTooLarge(name);
    const fitting = files.filter(({ size }) => size <= DROPPED_BYTES_MAX);
    if (fitting.length > 0) intake.onFiles(fitting);
  };
  const isDrag = ({ dataTransfer }: DragEvent): boolean =>
    intake.isOpen() && (dataTransfer?.types.includes('Files') ?? false);
  const mark = (isOver: boolean): void => void host.toggleAttribute('data-drop', isOver);
  host.addEventListener('paste', (event) => take(event, event.clipboardData), {
    capture: true,
    signal,
  });
  const onDrag = (event: DragEvent): void => {
    if (!isDrag(event)) return;
    // Without this the browser opens the file in the place of the page.
    event.preventDefault();
    mark(true);
  };
  host.addEventListener('dragenter', onDrag, { signal });
  host.addEventListener('dragover', onDrag, { signal });
  host.addEventListener('dragleave', () => mark(false), { signal });
  const onDrop = (event: DragEvent): void => {
    mark(false);
    take(event, event.dataTransfer);
  };
  host.addEventListener('drop', onDrop, { signal });
}
