// The page that a pairing link opens: it hands the code in and goes on to the dashboard. It is kept
// here, as text, so that pairing works whatever else is served.

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:28rem;padding:0 1.5rem}' +
  ':root{color-scheme:light dark}code{font-family:ui-monospace,monospace}';

export const pairPage: string = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agtmux: pairing</title>
<style>${style}</style>
<h1>agtmux</h1>
<p id="status" role="status">This browser is being paired&hellip;</p>
<noscript><p>Pairing needs JavaScript.</p></noscript>
<script src="/pair.js"></script>
</html>
`;

export const pairScript: string = `'use strict';
(async () => {
  const status = document.getElementById('status');
  const code = location.hash.slice(1);
  // The code is not left behind in the history.
  history.replaceState(null, '', location.pathname);
  if (code === '') {
    status.textContent = 'This link has no code. Run agtmux web pair for a new one.';
    return;
  }
  try {
    const reply = await fetch('/pair', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (reply.ok) {
      location.replace(reply.headers.get('Agtmux-Next') || '/');
      return;
    }
    const { error, hint } = await reply.json();
    status.textContent = error + ' ' + hint;
  } catch {
    status.textContent = 'The service does not answer. Load the link again.';
  }
})();
`;
