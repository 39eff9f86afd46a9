// How messages look.

import { css } from 'lit';

export const messagesStyles = css`
  .head {
    display: flex;
    align-items: center;
    gap: 10px;
    min-width: 0;
  }
  .head > .button:last-child {
    margin-left: auto;
  }
  ol,
  ul {
    margin: 0;
    padding: 0;
    list-style: none;
    display: grid;
    gap: 8px;
  }
  ul > li > a {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 2px 12px;
    padding: 10px 14px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    color: var(--text);
    text-decoration: none;
    font-size: var(--small);
  }
  ul > li > a:hover {
    background: var(--hover);
  }
  .subject {
    font-size: 0.9375rem;
    font-weight: 550;
  }
  .unread a {
    border-left: 4px solid var(--accent);
  }
  .unread .subject {
    font-weight: 700;
  }
  time {
    font: var(--tiny) / 1.6 var(--mono);
    color: var(--dim);
  }
  .message {
    border: 1px solid var(--line);
    border-radius: 12px 12px 12px 4px;
    background: var(--surface);
    padding: 10px 14px;
    display: grid;
    gap: 8px;
    margin-right: 24px;
    min-width: 0;
  }
  .message.mine {
    background: var(--selected);
    border-radius: 12px 12px 4px;
    margin: 0 0 0 24px;
  }
  .from {
    display: flex;
    justify-content: space-between;
    gap: 12px;
    font-size: var(--small);
  }
  .path {
    display: flex;
    gap: 6px;
    font-size: var(--tiny);
    overflow-wrap: anywhere;
  }
  .receipts {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 14px;
    font-size: var(--tiny);
    color: var(--dim);
  }
  .receipts li {
    display: flex;
    gap: 4px;
    align-items: center;
    overflow-wrap: anywhere;
  }
  .receipts .good {
    color: var(--running);
  }
  .receipts .open {
    color: var(--approval);
  }
  .receipts .bad {
    color: var(--error);
  }
  form {
    display: grid;
    gap: 8px;
  }
  .under {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 12px;
    align-items: center;
    font-size: var(--small);
  }
  .under button {
    margin-left: auto;
  }
  .under label {
    display: flex;
    gap: 8px;
    align-items: center;
  }
  .parties {
    max-height: 40vh;
    overflow-y: auto;
    gap: 0;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
  }
  .parties label {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    gap: 10px;
    align-items: center;
    padding: 8px 12px;
    font-size: var(--small);
    cursor: pointer;
  }
  .parties li + li {
    border-top: 1px solid var(--line);
  }
  .empty {
    text-align: center;
    color: var(--dim);
    padding: 12vh 16px;
    display: grid;
    gap: 8px;
    justify-items: center;
  }
  .empty svg {
    width: 36px;
    height: 36px;
    stroke-width: 1.1;
  }
  .empty b {
    color: var(--text);
    font-weight: 600;
  }
  code {
    font: 0.92em / 1.4 var(--mono);
    color: var(--text);
  }
`;
