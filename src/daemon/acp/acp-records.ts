// The transcript of an ACP member as records with places, so that it is read like every other
// conversation. It is in memory: nothing waits.

import type { TranscriptRecords } from '../../agent-files/conversations/transcript-records.ts';
import type { AcpTranscript } from '../../relay/acp/acp-transcript.ts';

const BATCH = 200;

export function acpRecords(transcript: AcpTranscript): TranscriptRecords {
  return {
    end: async () => transcript.end,
    at: async (position) => transcript.records.find((each) => each.position === position) ?? null,
    back: async function* (end) {
      const before = transcript.records.filter((each) => each.next <= end);
      for (let to = before.length; to > 0; to -= BATCH) {
        yield before.slice(Math.max(0, to - BATCH), to);
      }
    },
    forward: async function* (position) {
      const after = transcript.records.filter((each) => each.position >= position);
      for (let from = 0; from < after.length; from += BATCH) yield after.slice(from, from + BATCH);
    },
    watch: ({ onChange }) => transcript.watch(onChange),
  };
}
