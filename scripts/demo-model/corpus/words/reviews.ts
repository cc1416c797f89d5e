import { phrases } from "./lists.ts";

/** Follows "the hotel was". */
export const praise = phrases(`
  great | excellent | wonderful | fantastic | lovely | amazing | brilliant | superb | very good | perfect |
  delightful | fast and reliable | easy to use | beautiful | comfortable | outstanding | helpful |
  delicious | friendly | impressive
`);

/** Follows "the hotel was". */
export const complaint = phrases(`
  terrible | awful | horrible | disappointing | very bad | useless | broken | slow and noisy | poor |
  dreadful | boring | dirty | unreliable | ugly | rude | a waste of money | hard to use | cheaply made |
  cold and late | annoying
`);

/** Follows "the hotel is" and judges nothing. */
export const plainFact = phrases(`
  delivered on Monday | blue | made of wood | two years old | in the box | about average |
  on the second floor | open until six | available in three sizes | the same as last year | made in Italy |
  okay, nothing special
`);

/** Whole sentences, without their full stop. */
export const praiseSentences = phrases(`
  I love it | I would buy it again | Highly recommended | It made my day | I am very happy with it |
  Five stars | We had a great time | It works perfectly | I enjoyed every minute | Thank you so much |
  Best purchase this year | Everyone was so kind
`);

/** Whole sentences, without their full stop. */
export const complaintSentences = phrases(`
  I want my money back | I would not buy it again | Never again | It stopped working after a day |
  I am very unhappy with it | One star | We left early | It does not work at all | I regret buying it |
  Nobody answered my calls | Worst purchase this year | Stay away
`);

/** Whole sentences that judge nothing. */
export const plainSentences = phrases(`
  It came with a cable | The manual has ten pages | I bought it in May | It weighs two kilos |
  The shop is near the station | It has four buttons | The meeting is at noon | It uses two batteries
`);
