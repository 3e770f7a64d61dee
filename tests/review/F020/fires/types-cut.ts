export interface Place {
  name: string;
