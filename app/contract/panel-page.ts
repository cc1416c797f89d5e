/** The parameter in the address of the panel's page, if its program opened it again after a crash. */
export const restoredParameter = "restored";
