/** The consequences of leaving an organization, in plain words. */
export function leavingPoints(organization: string): readonly string[] {
  return [
    `A running job goes back to the queue, and ${organization} is told that this computer has left.`,
    "This computer’s key, the downloaded models, the journal and your settings are deleted.",
    `The credits that this computer earned stay in the books of ${organization}.`,
    "To join again, you need a new invitation.",
  ];
}
