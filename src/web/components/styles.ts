// What components look like alike: buttons, fields, cards, the colour of a mood.

import { css } from 'lit';

export const baseStyles = css`
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  :host([hidden]) {
    display: none;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  dl,
  dd,
  pre {
    margin: 0;
    padding: 0;
  }
  ul {
    list-style: none;
  }
  a {
    color: var(--accent);
  }
  .dim {
    color: var(--dim);
  }
  .mono {
    font-family: var(--mono);
  }
  .cut {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    min-width: 0;
  }
  .hidden-text {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: 34px;
    padding: 4px 12px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--surface);
    font-size: var(--small);
    font-weight: 550;
    cursor: pointer;
    text-decoration: none;
    color: var(--text);
  }
  button:hover:not(:disabled),
  .button:hover {
    background: var(--hover);
  }
  button:disabled {
    color: var(--dim);
    cursor: default;
    opacity: 0.7;
  }
  button.primary {
    background: var(--primary);
    border-color: transparent;
    color: var(--on-primary);
  }
  button.primary:hover:not(:disabled) {
    background: color-mix(in oklab, var(--primary) 88%, black);
  }
  button.danger {
    color: var(--error);
    border-color: color-mix(in oklab, var(--error) 45%, transparent);
  }
  .plain {
    border-color: transparent;
    background: transparent;
  }
  .icon {
    padding: 4px;
    min-width: 34px;
  }
  :focus-visible {
    outline: none;
    box-shadow: var(--focus);
    border-radius: var(--radius);
  }
  input[type='text'],
  input[type='search'],
  select,
  textarea {
    min-height: 34px;
    width: 100%;
    padding: 5px 10px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--surface);
    font-size: var(--small);
  }
  textarea {
    resize: none;
    line-height: 1.4;
  }
  ::placeholder {
    color: var(--dim);
    opacity: 1;
  }
  svg {
    display: block;
    flex: none;
  }
  kbd {
    font: 600 var(--tiny) / 1 var(--mono);
    padding: 3px 6px;
    border: 1px solid var(--line-strong);
    border-bottom-width: 2px;
    border-radius: 5px;
    background: var(--raised);
  }
  @media (pointer: coarse) {
    button,
    .button,
    input[type='text'],
    input[type='search'],
    select {
      min-height: 42px;
    }
    .icon {
      min-width: 42px;
    }
    input[type='text'],
    input[type='search'],
    select,
    textarea {
      /* Smaller text makes phones zoom in. */
      font-size: 16px;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation: none !important;
      transition: none !important;
    }
  }
`;

/** A page that scrolls, with one column of parts. */
export const pageStyles = css`
  :host {
    display: block;
    height: 100%;
    overflow-y: auto;
    padding: 16px 16px calc(24px + env(safe-area-inset-bottom));
  }
  .inner {
    max-width: 820px;
    margin: 0 auto;
    display: grid;
    gap: 14px;
  }
  h1 {
    font-size: 1.125rem;
  }
`;

/** Sets --mood and --mood-back by the class `mood-…`. */
export const moodStyles = css`
  .mood-approval {
    --mood: var(--approval);
    --mood-back: var(--approval-back);
  }
  .mood-question {
    --mood: var(--question);
    --mood-back: var(--question-back);
  }
  .mood-error,
  .mood-crash {
    --mood: var(--error);
    --mood-back: var(--error-back);
  }
  .mood-stuck {
    --mood: var(--stuck);
    --mood-back: var(--stuck-back);
  }
  .mood-running {
    --mood: var(--running);
    --mood-back: var(--running-back);
  }
  .mood-completed {
    --mood: var(--completed);
    --mood-back: var(--completed-back);
  }
  .mood-idle,
  .mood-unknown,
  .mood-none {
    --mood: var(--dim);
    --mood-back: var(--quiet-back);
  }
`;
