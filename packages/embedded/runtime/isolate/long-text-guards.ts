/** V8 takes up to a second to compare so many pairs of characters. `native/long-search.ts` searches where there may be more. */
const mostPairs = 2 ** 33;

/** The same for a list of texts: V8 makes a whole text of each one that was put together from parts. */
const mostPairsInList = 2 ** 27;

/** More parts of a template would take long to join. */
const mostParts = 2 ** 20;

/**
 * Code of the realm. Each of the last functions does what a method does in which V8 may compare too many pairs. They
 * convert values in the same order.
 */
export const longTextGuards = `
  const { match: asMatch, replace: asReplacement, split: asSplit } = Symbol;
  const { slice: ownSlice, indexOf: ownIndexOf } = String.prototype;
  const sliceOf = (text, from, to) => apply(ownSlice, text, [from, to]);
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  const does = (value, symbol) => isObject(value) && value[symbol] != null;
  const isShortSearch = (text, search) =>
    typeof text === "string" && typeof search === "string" && text.length * search.length <= ${String(mostPairs)};
  const toInteger = (value) => {
    const number = +value;
    return number !== number ? 0 : number - (number % 1 || 0);
  };
  const clamp = (place, most) => (place < 0 ? 0 : place > most ? most : place);

  const searching = (find, symbol) => (own, self, args) => {
    if (self == null || typeof args[0] === "symbol" || (symbol === asSplit && args[0] === undefined) || (symbol !== undefined && does(args[0], symbol)))
      return apply(own, self, args);
    const text = \`\${self}\`;
    const search = \`\${args[0]}\`;
    return isShortSearch(text, search) ? apply(own, text, [search, args[1]]) : find(text, search, args[1]);
  };
  const expand = (by, text, search, at) => {
    let result = "";
    let from = 0;
    for (let to = apply(ownIndexOf, by, ["$"]); to >= 0; to = apply(ownIndexOf, by, ["$", from])) {
      result += sliceOf(by, from, to);
      from = to + 2;
      switch (by[to + 1]) {
        case "$": result += "$"; break;
        case "&": result += search; break;
        case "\`": result += sliceOf(text, 0, at); break;
        case "'": result += sliceOf(text, at + search.length); break;
        default: result += "$"; from = to + 1;
      }
    }
    return result + sliceOf(by, from);
  };
  const replaceAt = (placesOf) => (text, search, by) => {
    const replacement = typeof by === "function" ? null : \`\${by}\`;
    const places = placesOf(text, search);
    let result = "";
    let from = 0;
    for (let i = 0; i < places.length; i += 1) {
      const at = places[i];
      result += sliceOf(text, from, at);
      result += replacement === null ? \`\${apply(by, undefined, [search, at, text])}\` : expand(replacement, text, search, at);
      from = at + search.length;
    }
    return result + sliceOf(text, from);
  };

  const findLong = searching((text, search, from) =>
    reserve.firstPlace(text, search, clamp(toInteger(from), text.length)));
  const findLongLast = searching((text, search, from) => {
    const number = +from;
    return reserve.lastPlace(text, search, number !== number ? text.length : clamp(toInteger(number), text.length));
  });
  const includesLong = searching((text, search, from) =>
    reserve.firstPlace(text, search, clamp(toInteger(from), text.length)) >= 0, asMatch);
  const splitLong = searching((text, search, limit) => {
    const most = limit === undefined ? 2 ** 32 - 1 : limit >>> 0;
    const places = reserve.allPlaces(text, search);
    const parts = [];
    let from = 0;
    for (let i = 0; i <= places.length && i < most; i += 1) {
      parts[i] = sliceOf(text, from, places[i]);
      from = places[i] + search.length;
    }
    return parts;
  }, asSplit);
  const replaceLong = searching(replaceAt((text, search) => {
    const place = reserve.firstPlace(text, search, 0);
    return place < 0 ? [] : [place];
  }), asReplacement);
  const replaceAllLong = searching(replaceAt((text, search) => reserve.allPlaces(text, search)), asReplacement);

  const joinRaw = (template, ...values) => {
    const { raw } = Object(template);
    const parts = Object(raw);
    const length = toInteger(parts.length);
    if (length > ${String(mostParts)}) reserve.end();
    let text = "";
    for (let i = 0; i < length; i += 1) {
      tick();
      text += \`\${parts[i]}\`;
      if (i + 1 < length && i < values.length) text += \`\${values[i]}\`;
    }
    return text;
  };

  const isShortList = (list, search) =>
    typeof search !== "string" || !isArray(list) || list.length * search.length <= ${String(mostPairsInList)};
  const findInList = (list, search, from, step) => {
    for (let i = from; i >= 0 && i < list.length; i += step) {
      tick();
      if (list[i] === search) return i;
    }
    return -1;
  };
  const findText = (own, list, [search, start]) => {
    const from = toInteger(start);
    return findInList(list, search, from < 0 ? clamp(list.length + from, list.length) : from, 1);
  };
  const includesText = (own, list, args) => findText(own, list, args) >= 0;
  const findTextLast = (own, list, args) => {
    const from = args.length > 1 ? toInteger(args[1]) : list.length - 1;
    return findInList(list, args[0], from < 0 ? list.length + from : clamp(from, list.length - 1), -1);
  };
`;
