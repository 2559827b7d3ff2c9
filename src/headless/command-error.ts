/**
 * What ends a command with a message for its user instead of a stack. Thrown by the parts of the headless
 * build; caught once, in shoal.ts, which prints the message and exits with the code.
 */
export type CommandErrorName =
  | "usage"
  | "start_failed"
  | "request_failed"
  | "interrupted"
  | "hung_up"
  | "terminated";

/** 2 for a wrong command line as in POSIX tools, 128 and its number for a signal as in shells (130: Ctrl-C), else 1. */
const EXIT_CODES: Record<CommandErrorName, number> = {
  usage: 2,
  start_failed: 1,
  request_failed: 1,
  interrupted: 130,
  hung_up: 129,
  terminated: 143,
};

export class CommandError extends Error {
  override readonly name: CommandErrorName;

  constructor(name: CommandErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }

  get exitCode(): number {
    return EXIT_CODES[this.name];
  }
}
