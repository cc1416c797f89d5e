import { words } from "./lists.ts";

/** Given names. Also the closed list that the "where" task draws its people from. */
export const firstNames = words(`
  Anna Ben Clara David Emma Felix Greta Hugo Ivy Jonas Karen Leo Maria Nils Olga Paul Quinn Rosa Sam Tina
  Umar Vera Will Xenia Yusuf Zoe Alice Bruno Chen Dora Eric Fatima Gina Hans Ines Jack Kim Lena Mark Nora
  Omar Petra Ravi Sara Tom Ursula Victor Wendy Yuki Amir
`);

/** Family names. */
export const lastNames = words(`
  Smith Weber Novak Garcia Rossi Kim Khan Olsen Brown Moreau Silva Tanaka Meyer Jones Clark Lopez Ivanov
  Nagy Berg Young Hall Wright King Green Baker Adams Nelson Carter Evans Turner Fisher Mason Hunt Stone Wood
  Ford Reed Cole Price Bell
`);

/** Cities that people live in and parcels go to. */
export const cities = words(`
  London Paris Berlin Madrid Rome Vienna Prague Lisbon Oslo Dublin Athens Warsaw Zurich Hamburg Milan Lyon
  Porto Graz Boston Denver Austin Dallas Tokyo Osaka Delhi Cairo Lima Quito Toronto Sydney Leeds Bristol
  Geneva Turin Bergen Ghent Bonn Krakow Split Malmo
`);

/** Onsets of an invented word's syllable. */
export const syllableOnsets = words("b br c ch d dr f fl g gr h j k l m n p pr qu r s sh st t tr v w z");

/** Vowels of an invented word's syllable. */
export const syllableVowels = words("a e i o u ai ea io ou");

/** Endings of an invented word. */
export const syllableCodas = words("l n r s t m nd rt x ck");
