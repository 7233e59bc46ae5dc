import { type Command, InvalidArgumentError } from 'commander';
import { type IdPrefix, parseId, type Uuid } from '../lib/ids.ts';
import { fromPounds, type Pence } from '../lib/money.ts';

// What the commands are built of: groups, options that all have, and forms of arguments.

/** Adds a group of commands. */
export function addGroup(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).copyInheritedSettings(parent);
}

/** Adds a command; every one prints JSON on request. */
export function addCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description).copyInheritedSettings(parent);
  return command.option('--json', 'print one JSON object on standard output').allowExcessArguments(false);
}

/** What the option `--reason` is for. */
export const WHY = 'why, for the audit log';

/** Adds a command that the audit log keeps the reason of. */
export function addWhy(parent: Command, name: string, description: string): Command {
  return addCommand(parent, name, description).option('--reason <text>', WHY, nonBlank);
}

/** A list of records with ids of a kind: at most a thousand at a time. */
export function addList(parent: Command, description: string, prefix: IdPrefix): Command {
  const cursor = 'where to go on: the next_cursor of the list before';
  return addCommand(parent, 'list', description).option('--cursor <id>', cursor, id(prefix));
}

/** A text that is not blank. */
export function nonBlank(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be blank.');
  return text;
}

/** A public id of a kind. */
export function id(prefix: IdPrefix): (text: string) => Uuid {
  return (text) => {
    const parsed = parseId(prefix, text);
    if (parsed === undefined) throw new InvalidArgumentError(`It must be an id that begins with ${prefix}_.`);
    return parsed;
  };
}

/** An amount above zero. */
export function pounds(text: string): Pence {
  const amount = fromPounds(text);
  if (amount === undefined || amount === 0) {
    throw new InvalidArgumentError('It must be an amount above zero with at most two decimals, such as 50.00.');
  }
  return amount;
}
