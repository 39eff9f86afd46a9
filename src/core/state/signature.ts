// Whether a pane is an agent's pane, by weighted inputs. A title outlives the agent that set it, so
// a title alone never promotes a pane, least of all one with a shell or a wrapper.

import type { Signature, SignatureInputs } from '../../schema/pane.ts';

/** How much each input is worth alone: a process proves, a title hints. */
const signatureWeights = {
  providerHint: 1.0,
  cmdMatch: 0.86,
  pollerMatch: 0.78,
  titleMatch: 0.66,
} as const satisfies Record<keyof SignatureInputs, number>;

export const noSignature: Signature = {
  class: 'none',
  reason: 'no_match',
  confidence: 0,
  inputs: { providerHint: false, cmdMatch: false, pollerMatch: false, titleMatch: false },
};

export interface SignatureContext {
  readonly inputs: SignatureInputs;
  /** The foreground is `node`, `bun`, `deno`: it proves nothing by itself. */
  readonly isWrapper: boolean;
  readonly isShell: boolean;
  /** An event of the agent, bound to the pane, has named the session that runs there. */
  readonly hasHandshake: boolean;
}

/** The class of a pane, its reason and its confidence: the best input's weight. */
export function classifySignature(context: SignatureContext): Signature {
  const { inputs } = context;
  if (context.hasHandshake) {
    return { class: 'deterministic', reason: 'deterministic_handshake', confidence: 1, inputs };
  }
  const matched = (Object.keys(signatureWeights) as (keyof SignatureInputs)[]).filter(
    (input) => inputs[input],
  );
  const best = matched[0];
  if (!best) return { ...noSignature, inputs };
  if (best === 'titleMatch') return rejected(inputs, titleGuard(context));
  return {
    class: 'heuristic',
    reason: reasons[best],
    confidence: signatureWeights[best],
    inputs,
  };
}

const reasons = {
  providerHint: 'process_match',
  cmdMatch: 'command_match',
  pollerMatch: 'screen_match',
  titleMatch: 'title_only',
} as const;

function titleGuard({ isWrapper, isShell }: SignatureContext): string {
  if (isShell) return 'stale_title_on_shell';
  return isWrapper ? 'wrapper_with_title_only' : 'title_only';
}

function rejected(inputs: SignatureInputs, reason: string): Signature {
  return { class: 'none', reason, confidence: signatureWeights.titleMatch, inputs };
}
