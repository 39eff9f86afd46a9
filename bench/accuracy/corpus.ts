// Loads the recordings with their labels. The label goes to the scorer, the rest to the classifier;
// the two meet again only in the confusion table.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LabelRecord, labelRecordSchema } from '../../src/schema/record.ts';

export interface Recording {
  /** `claude/111-waiting_approval`. */
  readonly name: string;
  /** The folder: an agent, or `negative`. */
  readonly folder: string;
  /** A version about six months older. */
  readonly old: boolean;
  /** Recorded by ourselves, screen only: it carries no signals and cannot be scored with them. */
  readonly screenOnly: boolean;
  readonly label: LabelRecord;
  /** The whole file; only the classifier's own loader may take fields from it. */
  readonly raw: unknown;
}

/** Every recording under the folder, in order of name. */
export function loadCorpus(folder: string): readonly Recording[] {
  return globSync('*/*.json', { cwd: folder })
    .sort()
    .map((path) => {
      const raw: unknown = JSON.parse(readFileSync(join(folder, path), 'utf8'));
      const [agent = '', file = ''] = path.split('/');
      return {
        name: path.replace(/\.json$/, ''),
        folder: agent,
        old: file.startsWith('old-'),
        screenOnly: /^\d+\.\d+/.test(file),
        label: labelRecordSchema.parse(raw),
        raw,
      };
    });
}
