// Small parts for pages of the adapter, which they import as `/shared/utils.js`.

const MOBILE_WIDTH_PX = 900;

export function clearChildren(element: Element): void {
  element.replaceChildren();
}

export const isMobileLayout = (): boolean => window.innerWidth <= MOBILE_WIDTH_PX;

export function openDrawer(): void {
  document.body.classList.add('drawer-open');
}

export function closeDrawer(): void {
  document.body.classList.remove('drawer-open');
}

/** Closes the drawer by a click on what is behind it, and where the page becomes wide. */
export function bindMobileLayoutEvents(): void {
  document.querySelector('.drawer-backdrop')?.addEventListener('click', closeDrawer);
  window.addEventListener('resize', () => {
    if (!isMobileLayout()) closeDrawer();
  });
}

export function createBadge(text: string, className = ''): HTMLElement {
  const badge = document.createElement('span');
  badge.className = `badge ${className}`.trim();
  badge.textContent = text;
  return badge;
}

/** The time of day; empty for what is no time. */
export function formatTime(time: string | number | Date): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString();
}

export function truncate(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, Math.max(0, lengthMax - 1))}…` : text;
}
