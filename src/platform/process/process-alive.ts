// Whether a process exists, by sending it signal 0.

/** A process of another user is there too; one that nobody has reaped yet still counts. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
