// What the lab must know of an agent CLI to run it offline: how it is installed, seeded, started
// and driven, and what its own dialogs look like. One recipe an agent in lab/agents; the steps that
// every agent goes through are lab/scenarios.

/** What a pane truly does: a state of a row, with its reason where it matters, or no agent. */
export type Truth =
  | 'idle'
  | 'idle/interrupted'
  | 'running'
  | 'running/retrying'
  | 'running/background_work'
  | 'waiting_approval'
  | 'waiting_input'
  | 'completed'
  | 'error'
  | 'no_agent'
  /** It has left a pane that cannot be looked into: `no_agent`, or `unknown` for a while. */
  | 'left';

/** The folders and addresses of one run. All of them are new for each scenario. */
export interface LabPlace {
  /** HOME of the agent. */
  readonly home: string;
  /** The folder that the agent works in; a git repository with a few small files. */
  readonly work: string;
  /** Where the CLI is installed: it holds node_modules. */
  readonly install: string;
  /** Address of the fake model, without a slash at its end. */
  readonly modelUrl: string;
  /** Our hooks are installed. */
  readonly hasHooks: boolean;
}

export interface StartCommand {
  /** Program and arguments. It is run by `env -i`, so no shell reads them. */
  readonly argv: readonly string[];
  /** On top of PATH, TERM, LANG, HOME, SHELL, TMUX and TMUX_PANE, which the driver sets. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Key names of `tmux send-keys`, pressed one after the other. `pause` waits 300 ms, and `option:No`
 * is the number in front of the first option that begins with "No".
 */
export type Keys = readonly string[];

/** Kinds of dialog that a script can bring up, by the tool that the model asks for. */
export type Approval = 'shell' | 'edit' | 'fetch' | 'plan';

/** What some agents have and others do not. */
export type Ability =
  | Approval
  | 'question'
  | 'background_shell'
  | 'subagent'
  | 'background_subagent'
  | 'clear'
  /** A tool that needs no approval can be seen to run. */
  | 'quiet_tool';

export interface ApiError {
  readonly status: 400 | 401 | 429 | 500;
  /** The truth between the first failed request and the last, for agents that try again. */
  readonly retrying: 'running' | 'running/retrying';
  /** It tries for minutes: then it is left by Esc. */
  readonly isEndless?: true;
  /** The longest pause between two tries, where it is over 6 s. */
  readonly pauseMsMax?: number;
}

export interface AgentRecipe {
  /**
   * It takes a prompt and does nothing, nor shows anything, for seconds: its turn begins with the
   * request to the model, and answers in between are not judged.
   */
  readonly beginsByRequest?: true;
  /** As agtmux calls it. */
  readonly name: string;
  /** The package on npm. */
  readonly packageName: string;
  readonly version: string;
  /** Writes what the agent reads at its start, so that no start-up dialog comes. */
  seed(place: LabPlace): void;
  start(place: LabPlace): StartCommand;
  /** The prompt can take keys. */
  readonly ready: RegExp;
  /** The same below a conversation that was resumed, where it looks different there. */
  readonly readyAgain?: RegExp;
  /** The text of an open dialog; checked before a key is sent to it. */
  readonly shows: Readonly<Record<'approval' | 'question', RegExp>> & {
    /** What it asks when it starts in a folder that it does not know, where it does. */
    readonly trust?: RegExp;
  };
  readonly keys: {
    /** After the prompt's text is on the screen. */
    readonly submit: Keys;
    readonly approve: Keys;
    /** For dialogs that want other keys than the shell's. */
    readonly approveKind?: Partial<Readonly<Record<Approval, Keys>>>;
    /** Pressed before the prompt, where a dialog comes only in another mode. */
    readonly prepare?: Partial<Readonly<Record<Approval, Keys>>>;
    /** The screen shows that other mode already. */
    readonly isPrepared?: Partial<Readonly<Record<Approval, RegExp>>>;
    readonly deny: Keys;
    /** Chooses the first answer of a question. */
    readonly answer: Keys;
    /** While text streams or a tool runs. */
    readonly interrupt: Keys;
    /** In an open dialog. */
    readonly dismiss: Keys;
    readonly exit: Keys;
    readonly clear?: Keys;
  };
  /** Shell commands of some 6 s: one that the agent asks about, and one that it runs at once. */
  readonly commands: { readonly asks: string; readonly quiet: string };
  /** A new file whose writing the agent asks about, from the folder it works in. */
  readonly editPath?: string;
  /** What an agent does right after a refusal: it asks the model again, or it stops. */
  readonly afterDeny: Truth;
  /** The same for Esc in a dialog. */
  readonly afterDismiss: Truth;
  /** The same in a question, where it differs: some tell the model, which then ends the turn. */
  readonly afterQuestionLeft?: Truth;
  readonly can: readonly Ability[];
  readonly apiErrors: readonly ApiError[];
}
