// Titles that name a session and show no state: what stands around the name, an agent a row.

import type { Normaliser } from '../adapter.ts';
import { plainTitle, titleNormaliser } from './title-normaliser.ts';

const reading = (pattern: RegExp): Normaliser =>
  titleNormaliser({ parse: plainTitle(pattern), endsDialogs: [] });

/** "first prompt - GitHub Copilot". 1.0.24 writes the bare prompt, which may be anybody's title. */
export const copilotTitle = reading(/^(.+) - GitHub Copilot$/);
export const opencodeTitle = reading(/^OC \| (.+)$/);
export const kiloTitle = reading(/^Kilo CLI \| (.+)$/);
export const piTitle = reading(/^π - (.+)$/);
/** "> last prompt". */
export const clineTitle = reading(/^> (.+)$/);
