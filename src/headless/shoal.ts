/**
 * The command `shoal`: reads the command line and runs one command. The one place where errors become messages
 * and exit codes: 0 done, 1 failed, 2 wrong command line, 130 Ctrl-C.
 */
import { type Command, CommanderError } from "commander";
import { CommandError } from "./command-error.ts";
import { createProgram } from "./command-line.ts";
import { requestFailure } from "./commands/node-client.ts";
import { printable } from "./printable.ts";
import { watchStandardStreams } from "./standard-streams.ts";

const USAGE_EXIT_CODE = 2;

/** The exit code that an error asks for, once its message is out. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  const known = requestFailure(error);
  if (known instanceof CommandError) {
    for (const line of known.message.split("\n")) process.stderr.write(`shoal: ${printable(line)}\n`);
    return known.exitCode;
  }
  if (error instanceof Error && "syscall" in error) {
    // What the system says, such as that the disk is full, is nothing that a place in the program explains.
    process.stderr.write(`shoal: ${printable(error.message)}\n`);
    return 1;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`shoal: unexpected: ${text.split("\n").map(printable).join("\n")}\n`);
  return 1;
}

/** `start` goes without its name and takes no arguments, so that a wrong name would be called an argument too many. */
function refuseUnknownCommand(program: Command, [first, second]: readonly string[]): void {
  const name = first === "help" ? second : first;
  if (name === undefined || name.startsWith("-") || name === "help") return;
  if (program.commands.some((command) => command.name() === name)) return;
  throw new CommandError("usage", `there is no command "${name}" (--help shows what there is)`);
}

/** commander has no help for its own command `help`: what there is answers that too. */
function asUnderstood(args: readonly string[]): readonly string[] {
  return args[0] === "help" && args[1] === "help" ? ["help"] : args;
}

async function run(): Promise<number> {
  try {
    const program = createProgram();
    const args = process.argv.slice(2);
    refuseUnknownCommand(program, args);
    await program.parseAsync(asUnderstood(args), { from: "user" });
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}

/** The exit code of a command that has ended, of which something that it printed may be lost. */
function lastCode(exitCode: number, lostFor: Error | undefined): number {
  if (exitCode !== 0 || lostFor === undefined) return exitCode;
  process.stderr.write(`shoal: cannot write to the standard output: ${lostFor.message}\n`);
  return 1;
}

const whyLost = watchStandardStreams();
const exitCode = await run();
// Once what was printed is out, which on a pipe may take longer than the command, or what became of it is told.
process.stdout.write("", () => setImmediate(() => process.exit(lastCode(exitCode, whyLost()))));
