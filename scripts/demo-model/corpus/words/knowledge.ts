import { pairs, words } from "./lists.ts";

/** Countries and their capitals. */
export const capitals = pairs(`
  France:Paris | Germany:Berlin | Spain:Madrid | Italy:Rome | Austria:Vienna | Portugal:Lisbon |
  Norway:Oslo | Sweden:Stockholm | Denmark:Copenhagen | Finland:Helsinki | Ireland:Dublin | Greece:Athens |
  Poland:Warsaw | Hungary:Budapest | Czechia:Prague | Belgium:Brussels | Switzerland:Bern | Japan:Tokyo |
  China:Beijing | India:New Delhi | Egypt:Cairo | Peru:Lima | Ecuador:Quito | Canada:Ottawa |
  Australia:Canberra | Brazil:Brasilia | Chile:Santiago | Mexico:Mexico City | Cuba:Havana | Kenya:Nairobi |
  Turkey:Ankara | Iceland:Reykjavik | Croatia:Zagreb | Serbia:Belgrade | Romania:Bucharest |
  Bulgaria:Sofia | Ukraine:Kyiv | Estonia:Tallinn | Latvia:Riga | Lithuania:Vilnius | Thailand:Bangkok |
  Vietnam:Hanoi | Nepal:Kathmandu | Morocco:Rabat | the United Kingdom:London |
  the United States:Washington, D.C. | Argentina:Buenos Aires | South Korea:Seoul |
  the Netherlands:Amsterdam | New Zealand:Wellington
`);

/** Words and their antonyms. */
export const opposites = pairs(`
  hot:cold | big:small | fast:slow | up:down | day:night | open:closed | happy:sad | light:dark | old:new |
  early:late | full:empty | hard:soft | high:low | wet:dry | clean:dirty | strong:weak | near:far |
  rich:poor | loud:quiet | long:short | true:false | left:right | young:old | good:bad | black:white |
  start:end | win:lose | push:pull | heavy:light | thick:thin | safe:dangerous | cheap:expensive |
  easy:difficult | first:last | inside:outside | buy:sell | give:take | love:hate | sweet:sour | north:south
`);

/** Categories and their members. "List three fruits" asks for the first three, so only one answer is right. */
export const categories: readonly (readonly [name: string, entries: readonly string[]])[] = [
  ["fruits", words("apple banana cherry grape mango orange")],
  ["colours", words("red blue green yellow black white")],
  ["animals", words("dog cat horse rabbit lion eagle")],
  ["vegetables", words("carrot potato onion tomato pea bean")],
  ["planets", words("Mercury Venus Earth Mars Jupiter Saturn")],
  ["instruments", words("piano guitar violin drum flute trumpet")],
  ["sports", words("football tennis swimming running cycling skiing")],
  ["tools", words("hammer saw drill wrench pliers screwdriver")],
  ["languages", words("English French German Spanish Italian Japanese")],
  ["trees", words("oak birch pine maple willow ash")],
];

/** A term as people type it, and the one sentence that explains it. */
export const definitions: readonly (readonly [term: string, meaning: string])[] = [
  ["CPU", "A CPU is the main chip of a computer that runs its programs."],
  [
    "GPU",
    "A GPU is a chip made for doing many simple calculations at the same time, such as graphics or AI.",
  ],
  ["RAM", "RAM is the fast working memory of a computer."],
  [
    "token",
    "A token is a small piece of text, such as a word or part of a word, that a language model reads or writes.",
  ],
  ["language model", "A language model is a program that predicts the next piece of text."],
  ["browser", "A browser is a program that shows web pages."],
  ["database", "A database is an ordered store of data that programs can search and change."],
  ["network", "A network is a group of computers that can exchange data."],
  ["server", "A server is a computer that answers requests from other computers."],
  ["battery", "A battery stores electric energy and releases it when needed."],
  ["volcano", "A volcano is an opening in the ground where hot melted rock comes out."],
  ["river", "A river is a long stream of water that flows to a lake or the sea."],
  ["photosynthesis", "Photosynthesis is how plants use sunlight to turn water and air into sugar."],
  ["gravity", "Gravity is the force that pulls things toward each other."],
  ["the moon", "The moon is the round body that travels around the Earth."],
  ["the sun", "The sun is the star at the centre of our solar system."],
  ["inflation", "Inflation is when prices rise over time."],
  ["a budget", "A budget is a plan for how to spend money."],
  ["a verb", "A verb is a word for an action, such as run or eat."],
  ["a noun", "A noun is a word for a person, place or thing."],
  ["encryption", "Encryption turns data into a secret form that only a key can open."],
  ["a backup", "A backup is a second copy of data kept in case the first is lost."],
  ["open source", "Open source means that anyone may read and change the program text."],
  ["an algorithm", "An algorithm is a list of steps for solving a problem."],
  ["rain", "Rain is water that falls in drops from clouds."],
  ["idle compute", "Idle compute is processing power that a computer has but is not using right now."],
];
