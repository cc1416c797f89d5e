import { readArguments, usageError } from "./arguments.ts";
import type { Verb, Verbs } from "./command.ts";

const usage = `gleaner completion bash|zsh|fish
Prints a script that completes the commands and options of \`gleaner\` in your shell. To use it:
  bash   gleaner completion bash >> ~/.bashrc
  zsh    gleaner completion zsh > "\${fpath[1]}/_gleaner"
  fish   gleaner completion fish > ~/.config/fish/completions/gleaner.fish`;

/** The command that prints the completion of these commands. */
export function completion(verbs: Verbs): Verb {
  return {
    usage,
    options: {},
    actions: Object.keys(scripts),
    run: async (args) => {
      const [shell = ""] = readArguments(args, {}, usage, 1).positionals;
      if (!Object.hasOwn(scripts, shell)) throw usageError("Name your shell: bash, zsh or fish.", usage);
      console.log(await completionScript(shell as Shell, verbs));
    },
  };
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof scripts;

/** A command as a shell completes it. Options have their dashes. */
type Completed = {
  readonly name: string;
  readonly summary: string;
  readonly actions: readonly string[];
  readonly flags: readonly string[];
  /** The options that take a value. */
  readonly valued: readonly string[];
};

/** The script for a shell. It is derived from the commands' own options, so it has all of them. */
export async function completionScript(shell: Shell, verbs: Verbs): Promise<string> {
  const table = await Promise.all(
    Object.entries(verbs).map(async ([name, { summary, load }]) => {
      const { options, actions = [] } = await load();
      const named = (type: "string" | "boolean"): string[] =>
        Object.keys(options).filter((option) => options[option]?.type === type);
      const dashed = (option: string): string => `--${option}`;
      const flags = [...named("boolean"), "help"].map(dashed);
      return { name, summary, actions, flags, valued: named("string").map(dashed) };
    }),
  );
  return scripts[shell](table);
}

/** An option that needs a value, and any other argument, is completed as a file. */
function bashScript(table: readonly Completed[]): string {
  const cases = table.map(
    ({ name, actions, flags, valued }) =>
      `    ${name}) options='${[...valued, ...flags].join(" ")}' valued=' ${valued.join(" ")} ' actions='${actions.join(" ")}' ;;`,
  );
  return `_gleaner() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  local options= valued= actions= words=
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${table.map(({ name }) => name).join(" ")} --help --version'
  elif [ "\${valued/ $before /}" != "$valued" ]; then words=
  elif [ "\${word:0:1}" = - ]; then words=$options
  elif [ "$COMP_CWORD" -eq 2 ]; then words=$actions
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _gleaner gleaner`;
}

function zshScript(table: readonly Completed[]): string {
  const described = table.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = table.map(
    ({ name, actions, flags, valued }) =>
      `    ${name}) options=(${[...valued, ...flags].join(" ")}) valued=(${valued.join(" ")}) actions=(${actions.join(" ")}) ;;`,
  );
  return `#compdef gleaner
_gleaner() {
  local -a verbs options valued actions
  verbs=(
${described.join("\n")}
  )
  case \${words[2]} in
${cases.join("\n")}
  esac
  if (( CURRENT == 2 )); then _describe command verbs
  elif (( \${valued[(Ie)\${words[CURRENT-1]}]} )); then _files
  elif [[ $PREFIX == -* ]]; then compadd -- $options
  elif (( CURRENT == 3 && $#actions )); then compadd -- $actions
  else _files
  fi
}
if [[ $funcstack[1] == _gleaner ]]; then _gleaner "$@"; else compdef _gleaner gleaner; fi`;
}

function fishScript(table: readonly Completed[]): string {
  const lines = table.flatMap(({ name, summary, actions, flags, valued }) => {
    const begin = `complete -c gleaner -n '__gleaner_is ${name}'`;
    const asFirst = `complete -c gleaner -n '__gleaner_is ${name}; and test (count (commandline -opc)) -eq 2'`;
    return [
      `complete -c gleaner -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(actions.length === 0 ? [] : [`${asFirst} -a '${actions.join(" ")}'`]),
      ...flags.map((flag) => `${begin} -l ${flag.slice(2)}`),
      ...valued.map((option) => `${begin} -l ${option.slice(2)} -r`),
    ];
  });
  // The command is the second word. The name of another one may be among its arguments.
  const isCommand = `function __gleaner_is
  set -l words (commandline -opc)
  test "$words[2]" = $argv[1]
end`;
  return [isCommand, ...lines].join("\n");
}

/** A text in single quotes, which neither zsh nor fish changes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
