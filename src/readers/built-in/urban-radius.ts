/** People in a square kilometre of a town's dense ground. Our choice: over three times the 1,500 from which the Degree of Urbanisation counts a centre. */
const PEOPLE_PER_KM2 = 5_000;

/**
 * Metres from its centre to which a settlement's dense ground is taken to reach: the radius of the circle that holds its people at
 * 5,000 to the square kilometre. 50,000 people reach 1.8 km, 1 million 8.0 km, 8.5 million 23.3 km.
 */
export function urbanRadiusM(population: number): number {
  return Math.sqrt(population / (Math.PI * PEOPLE_PER_KM2)) * 1000;
}
