// How the page of one pane is laid out: its head, what it asks, its views, the prompt box.

import { css } from 'lit';

export const panePageStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  .body {
    display: flex;
    flex-direction: column;
    flex: 1;
    min-height: 0;
  }
  header {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    gap: 2px 10px;
    align-items: center;
    padding: 10px 14px 8px;
  }
  .back {
    display: none;
  }
  h1 {
    font-size: 1.0625rem;
    font-weight: 650;
    display: flex;
    gap: 0 8px;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  h1 .about {
    flex: 1 1 0;
    color: var(--dim);
    font-weight: 400;
  }
  .state {
    display: inline-flex;
    gap: 6px;
    align-items: center;
    color: var(--mood);
    background: var(--mood-back);
    font-size: var(--small);
    font-weight: 600;
    padding: 2px 10px 2px 8px;
    border-radius: 999px;
    white-space: nowrap;
  }
  .facts {
    grid-column: 1 / -1;
    display: flex;
    flex-wrap: wrap;
    gap: 2px 12px;
    align-items: center;
    font-size: var(--small);
    color: var(--dim);
    min-width: 0;
  }
  .facts > * {
    max-width: 100%;
  }
  .words {
    grid-column: 1 / -1;
    margin: 2px 0 0;
    font-size: var(--small);
    min-width: 0;
  }
  .words dt,
  .words dd {
    display: inline;
    margin: 0;
  }
  .words dt {
    color: var(--dim);
  }
  .actions {
    display: flex;
    gap: 6px;
  }
  .requests {
    display: grid;
    gap: 10px;
    padding: 4px 14px 12px;
    max-height: 52vh;
    overflow-y: auto;
    flex: none;
  }
  nav {
    display: flex;
    gap: 2px;
    padding: 0 10px;
    border-bottom: 1px solid var(--line);
    overflow-x: auto;
    scrollbar-width: none;
    flex: none;
  }
  nav a {
    padding: 8px 10px;
    font-size: var(--small);
    font-weight: 550;
    color: var(--dim);
    text-decoration: none;
    border-bottom: 2px solid transparent;
    white-space: nowrap;
  }
  nav a[aria-current='page'] {
    color: var(--text);
    border-color: var(--accent);
  }
  .tab {
    flex: 1;
    min-height: 0;
    overflow-y: auto;
  }
  .prompt {
    flex: none;
    border-top: 1px solid var(--line);
    padding: 10px 14px calc(10px + env(safe-area-inset-bottom));
    background: var(--surface);
  }
  .outcome {
    padding: 0 14px 6px;
  }
  @media (max-width: 899px) {
    /* What an agent asks takes most of a phone: what is below keeps its room. */
    .body {
      overflow-y: auto;
      overscroll-behavior: contain;
    }
    .requests {
      max-height: none;
      overflow-y: visible;
    }
    .tab {
      flex: 1 0 max(52dvh, 300px);
    }
    .back {
      display: inline-flex;
    }
    /* What ends an agent is never a picture alone. */
    .actions button:not(.danger) span {
      display: none;
    }
    /* Its line is worth more to what is below. */
    .facts .path,
    .words {
      display: none;
    }
  }
  @media (min-width: 900px) {
    header {
      grid-template-columns: minmax(0, 1fr) auto;
    }
  }
  .turns {
    transform-origin: 8px 8px;
    animation: turn 2.4s linear infinite;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
`;
