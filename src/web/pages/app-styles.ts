// How the page as a whole is laid out: the bar, the list beside what is shown, the tabs of a phone.

import { css } from 'lit';

export const appStyles = css`
  :host {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr) auto;
    height: 100dvh;
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 10px;
    padding: calc(6px + env(safe-area-inset-top)) 12px 6px;
    border-bottom: 1px solid var(--line);
    background: var(--surface);
    min-height: 48px;
  }
  .name {
    font-weight: 700;
    letter-spacing: -0.01em;
    color: var(--text);
    text-decoration: none;
    font-size: 1rem;
  }
  .needs {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    font-size: var(--small);
    font-weight: 600;
    padding: 3px 10px;
    border-radius: 999px;
    color: var(--approval);
    background: var(--approval-back);
    text-decoration: none;
    white-space: nowrap;
  }
  .needs.none {
    color: var(--dim);
    background: var(--quiet-back);
    font-weight: 500;
  }
  .link {
    margin-left: auto;
    display: inline-flex;
    gap: 6px;
    align-items: center;
    font-size: var(--tiny);
    color: var(--dim);
    white-space: nowrap;
  }
  .link i {
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--running);
  }
  .link.lost {
    color: var(--error);
    font-weight: 600;
  }
  .link.lost i {
    background: none;
    border: 2px solid var(--error);
  }
  .bar nav {
    display: none;
    gap: 2px;
  }
  main {
    display: grid;
    min-height: 0;
  }
  main > * {
    min-height: 0;
    min-width: 0;
  }
  .stale {
    filter: grayscale(0.85);
    opacity: 0.72;
  }
  .tabs {
    display: grid;
    grid-auto-flow: column;
    grid-auto-columns: 1fr;
    border-top: 1px solid var(--line);
    background: var(--surface);
    padding-bottom: env(safe-area-inset-bottom);
  }
  .tabs a {
    display: grid;
    justify-items: center;
    gap: 2px;
    padding: 8px 4px 6px;
    font-size: 0.6875rem;
    font-weight: 550;
    color: var(--dim);
    text-decoration: none;
    position: relative;
  }
  .tabs a[aria-current='page'],
  .bar nav a[aria-current='page'] {
    color: var(--accent);
  }
  .count {
    position: absolute;
    top: 3px;
    left: calc(50% + 6px);
    min-width: 16px;
    padding: 0 4px;
    border-radius: 8px;
    font: 700 0.625rem / 16px var(--font);
    text-align: center;
    color: var(--back);
    background: var(--approval);
  }
  .gone {
    display: grid;
    place-content: center;
    gap: 12px;
    justify-items: center;
    color: var(--dim);
    padding: 24px;
    text-align: center;
  }
  @media (min-width: 900px) {
    main {
      grid-template-columns: clamp(340px, 30vw, 460px) minmax(0, 1fr);
    }
    fleet-list {
      border-right: 1px solid var(--line);
    }
    .tabs {
      display: none;
    }
    .bar nav {
      display: flex;
    }
    .bar nav a {
      position: relative;
    }
  }
`;
