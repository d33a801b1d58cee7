/** The words of a text, with any spaces and line breaks between them. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
