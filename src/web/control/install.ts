// The page as something installed: its service worker, and the number on its icon.

/** Without a secure context browsers have no service workers; then nothing is done. */
export async function keepShell(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register('./page-worker.js', { type: 'module' });
  } catch {
    // It may be forbidden, as in a private window: the page works without.
  }
}

let lastBadge = -1;

/** Only an installed page has an icon. */
export function showBadge(count: number): void {
  if (count === lastBadge || !('setAppBadge' in navigator)) return;
  lastBadge = count;
  const badge = navigator as unknown as {
    setAppBadge(count: number): Promise<void>;
    clearAppBadge(): Promise<void>;
  };
  const shown = count === 0 ? badge.clearAppBadge() : badge.setAppBadge(count);
  shown.catch(() => {});
}
