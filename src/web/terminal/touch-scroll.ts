// Scrolls a terminal by a finger. Where a program takes the wheel, or has no history, it gets the
// wheel, as with a mouse.

import type { Terminal } from '@xterm/xterm';

/** A shorter way is a tap. */
const TAP_PX = 8;

/** Follows one finger on the element until the signal. */
export function followTouch(host: HTMLElement, terminal: Terminal, signal: AbortSignal): void {
  let lastY = 0;
  let rest = 0;
  let isScrolling = false;
  const rowHeight = (): number => {
    const screen = terminal.element?.querySelector('.xterm-screen');
    return Math.max(4, (screen?.getBoundingClientRect().height ?? 0) / terminal.rows);
  };
  const onStart = ({ touches }: TouchEvent): void => {
    lastY = touches[0]?.clientY ?? 0;
    rest = 0;
    isScrolling = false;
  };
  const onMove = (event: TouchEvent): void => {
    const [touch] = event.touches;
    // Two fingers zoom the page.
    if (!touch || event.touches.length > 1) return;
    const movedPx = lastY - touch.clientY;
    if (!isScrolling && Math.abs(movedPx) < TAP_PX) return;
    isScrolling = true;
    lastY = touch.clientY;
    rest += movedPx / rowHeight();
    const rows = Math.trunc(rest);
    rest -= rows;
    if (rows !== 0 && scroll(terminal, rows, touch)) event.preventDefault();
  };
  host.addEventListener('touchstart', onStart, { passive: true, signal });
  host.addEventListener('touchmove', onMove, { passive: false, signal });
}

/** Whether that was possible; else the page scrolls. */
function scroll(terminal: Terminal, rows: number, { clientX, clientY }: Touch): boolean {
  const takesWheel = terminal.modes.mouseTrackingMode !== 'none';
  const isAlternate = terminal.buffer.active.type === 'alternate';
  if (takesWheel || isAlternate) {
    const screen = terminal.element?.querySelector('.xterm-screen');
    const at = { clientX, clientY, bubbles: true, cancelable: true };
    // Three rows for each notch, as browsers count lines.
    const wheel = { deltaY: rows, deltaMode: WheelEvent.DOM_DELTA_LINE, ...at };
    screen?.dispatchEvent(new WheelEvent('wheel', wheel));
    return true;
  }
  const before = terminal.buffer.active.viewportY;
  terminal.scrollLines(rows);
  return terminal.buffer.active.viewportY !== before;
}
