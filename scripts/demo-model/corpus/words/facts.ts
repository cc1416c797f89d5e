import { pairs } from "./lists.ts";

/** Country, and its capital. */
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

/** Word, and its antonym. */
export const opposites = pairs(`
  hot:cold | big:small | fast:slow | up:down | day:night | open:closed | happy:sad | light:dark | old:new |
  early:late | full:empty | hard:soft | high:low | wet:dry | clean:dirty | strong:weak | near:far |
  rich:poor | loud:quiet | long:short | true:false | left:right | young:old | good:bad | black:white |
  start:end | win:lose | push:pull | heavy:light | thick:thin | safe:dangerous | cheap:expensive |
  easy:difficult | first:last | inside:outside | buy:sell | give:take | love:hate | sweet:sour | north:south
`);
