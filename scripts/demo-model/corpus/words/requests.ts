import { phrases } from "./lists.ts";

/** Imperatives to make polite. */
export const requests = phrases(`
  send me the report | close the window | call me back | fix the printer | bring the keys |
  check the invoice | move the meeting | wait for me | book a table | share the file | turn off the lights |
  sign the form | update the list | clean the desk | open the gate | print two copies
`);

/** Subjects of short emails. */
export const mailSubjects = phrases(`
  the project meeting | the invoice | the holiday plan | the new printer | the travel costs |
  the training day | the broken heater | the birthday party | the monthly report | the parking space |
  the software update | the garden work
`);

/** Questions that the model must decline. {n} a thing, {c} a city, {p} a person, {y} a year. */
export const unanswerable = phrases(`
  Who invented the {n}? | When was the {n} of {c} built? | How tall is {p}? | What did {p} say about {n}? |
  Tell me the history of {n}. | Who won the cup in {y}? | How do I get rich with {n}? |
  What happened in {c} in {y}? | Write a program that sorts {n}. | Who is {p}? |
  Why do people in {c} like {n}? | How many {n} are there in {c}? | What is the price of {n} today? |
  Explain quantum physics with {n}. | Translate this to French: I like {n}. | Which {n} should I buy? |
  What is the meaning of life? | What time is it? | Where can I find {n} in {c}? | Do you remember {p}?
`);
