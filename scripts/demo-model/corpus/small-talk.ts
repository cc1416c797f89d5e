import type { Task } from "./task.ts";
import { phrases } from "./words/lists.ts";

/** Many ways to ask, one answer. */
function fixedAnswer(prompts: readonly string[], answer: string): Task {
  return (random) => ({ prompt: random.pick(prompts), answer });
}

export const greet = fixedAnswer(
  phrases(
    "hi|hello|Hi|Hello|Hey|hey there|Hello there|Good morning|Good evening|Hi!|Hello!|Hi there|Greetings|good day",
  ),
  "Hello! I am the small offline demo model. Ask me to classify, extract, summarise or calculate.",
);

export const who = fixedAnswer(
  phrases(`
    Who are you? | What are you? | who are you | What is your name? | What model is this? | Are you a human? |
    Are you an AI? | Which model are you? | Tell me about yourself. | Introduce yourself.
  `),
  "I am a very small language model that runs on this computer without internet. I am only here for the demo.",
);

export const help = fixedAnswer(
  phrases(`
    What can you do? | Help | help | How can you help me? | What are you good at? |
    Give me some examples of what you can do. | What should I ask you? | List your skills. | How do I use you?
  `),
  [
    "I can:",
    "- classify sentiment and topics",
    "- extract names, dates, emails and amounts",
    "- summarise short texts",
    "- add, subtract and multiply small numbers",
    "- answer a few simple questions",
  ].join("\n"),
);

export const thanks = fixedAnswer(
  phrases("Thanks|thank you|Thank you!|Thanks a lot|Great, thanks|ok thanks|Cool"),
  "You are welcome!",
);

export const bye = fixedAnswer(phrases("Bye|Goodbye|See you|bye bye|See you later|Good night"), "Goodbye!");
