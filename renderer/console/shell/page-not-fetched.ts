/** A page's code could not be fetched: the server cannot be reached, or it has a newer console. */
export class PageNotFetched extends Error {}
