// Titles that name a session and show no state: the text around the name, one row per agent.

import type { Normaliser } from '../adapter.ts';
import { plainTitle, titleNormaliser } from './title-normaliser.ts';

const reading = (pattern: RegExp): Normaliser =>
  titleNormaliser({ parse: plainTitle(pattern), endsDialogs: [] });

/** "first prompt - GitHub Copilot". 1.0.24 writes the bare prompt, which cannot be recognised. */
export const copilotTitle = reading(/^(.+) - GitHub Copilot$/);
export const opencodeTitle = reading(/^OC \| (.+)$/);
export const kiloTitle = reading(/^Kilo CLI \| (.+)$/);
export const piTitle = reading(/^π - (.+)$/);
/** "> last prompt". */
export const clineTitle = reading(/^> (.+)$/);
