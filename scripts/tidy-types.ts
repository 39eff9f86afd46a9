// The shapes that the tidy rules share: a file, a violation, a rule.

export type TreeFile = { readonly path: string; readonly text: string };

export type Violation = {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
};

export type Rule = {
  readonly name: string;
  readonly check: (files: readonly TreeFile[]) => readonly Violation[];
};
