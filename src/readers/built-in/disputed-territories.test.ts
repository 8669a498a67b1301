import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Whereabouts } from '../../facilities/sources.ts';
import { createLog } from '../../log.ts';
import { openBuiltIn, type BuiltIn } from './built-in.ts';
import { DISPUTED_TERRITORIES } from './disputed-territories.ts';

/** Towns in disputed land: territory, the country to be named, codes of the others that claim it, places. */
const INSIDE = `
the parts of Donetsk, Luhansk, Zaporizhzhia and Kherson that Russia occupies | UA | RU | Nova Kakhovka 33.35 46.76, Oleshky 32.72 46.62, Henichesk 34.80 46.17, Skadovsk 32.91 46.11, Melitopol 35.37 46.85, Enerhodar 34.66 47.50, Berdiansk 36.79 46.76, Mariupol 37.55 47.10, Tokmak 35.71 47.25, Donetsk 37.80 48.0, Luhansk 39.31 48.57, Bakhmut 38.0 48.6, Sievierodonetsk 38.49 48.95, Starobilsk 38.92 49.28, Milove 40.13 49.38, Kalanchak 33.29 46.25, Avdiivka 37.75 48.14
Crimea | RU | UA | Sevastopol 33.52 44.6, Simferopol 34.1 44.95, Kerch 36.47 45.36, Yalta 34.16 44.5, Yevpatoria 33.37 45.2, Tarkhankut 32.5 45.35, Armyansk 33.69 46.1
Western Sahara | MA | EH | Laayoune -13.2 27.15, Dakhla -15.93 23.70, Smara -11.67 26.74, Boujdour -14.48 26.13, Guerguerat -16.96 21.42
Western Sahara | EH | MA | Agwanit -13.11 22.19, Tifariti -10.57 26.16, Bir Lehlou -9.66 26.35, Lagouira -17.09 20.83
Jammu, Kashmir and Ladakh | IN | PK | Srinagar 74.8 34.08, Leh 77.58 34.16, Jammu 74.86 32.73, Kargil 76.13 34.56, Poonch IN 74.09 33.77, Uri 74.05 34.08, Kathua 75.52 32.37, Hanle 78.97 32.78, Padum 76.88 33.47, Kishtwar 75.77 33.31
Azad Kashmir and Gilgit-Baltistan | PK | IN | Muzaffarabad 73.47 34.37, Mirpur AJK 73.75 33.15, Bhimber 74.07 32.97, Kotli 73.9 33.52, Rawalakot 73.76 33.86, Gilgit 74.31 35.92, Skardu 75.63 35.3, Hunza 74.66 36.32, Gupis 73.45 36.23, Chilas 74.1 35.42, Sost 74.82 36.69, Ishkoman 73.9 36.6
Aksai Chin | CN | IN | Aksai Chin 79.5 35.1
the Shaksgam valley | CN | IN | Shaksgam 76.5 36.3
Arunachal Pradesh | IN | CN | Itanagar 93.6 27.1, Tawang 91.87 27.59, Pasighat 95.33 28.07, Tezu 96.17 27.92, Miao 96.2 27.5, Roing 95.83 28.14, Ziro 93.83 27.55, Anini 95.9 28.8, Mechuka 94.12 28.6, Longding 95.33 26.87, Khonsa 95.57 27.0
Kalapani and Limpiyadhura | IN | NP | Kalapani 80.9 30.22
Doklam | BT | CN | Doklam 89.0 27.3
Abyei | SD | SS | Abyei town 28.44 9.59
Kafia Kingi | SD | SS | Kafia Kingi 24.42 9.27, Songo 24.1 9.7
the Halaib triangle | EG | SD | Halaib 36.65 22.22, Shalateen 35.6 23.13, Abu Ramad 36.4 22.37
the Ilemi triangle | KE | SS ET | Ilemi 35.2 4.95
the Ilemi triangle | ET | KE SS | Kibish 35.9 5.3
Somaliland | SO |  | Hargeisa 44.07 9.56, Berbera 45.02 10.44, Borama 43.18 9.94, Burao 45.53 9.52, Erigavo 47.37 10.62, Las Anod 47.36 8.48, Zeila 43.48 11.35
Mayotte | YT | KM | Mamoudzou 45.23 -12.78
Kosovo | XK | RS | Pristina 21.16 42.66, Mitrovica 20.87 42.89, Prizren 20.74 42.21, Peja 20.29 42.66, Gjilan 21.46 42.46, Gjakova 20.43 42.38, Dragash 20.65 42.06, Podujevo 21.19 42.91, Leposavic 20.8 43.1, Kamenica 21.58 42.58
the Golan Heights | IL | SY | Majdal Shams 35.77 33.27, Katzrin 35.69 32.99, Ein Zivan 35.79 33.09
East Jerusalem | IL | PS | East Jerusalem 35.24 31.79
the West Bank | PS | IL | Ramallah 35.2 31.9, Ariel 35.17 32.1, Nablus 35.26 32.22, Jenin 35.3 32.46, Jericho 35.45 31.86, Hebron 35.1 31.53, Bethlehem 35.2 31.7, Qalqilya 34.97 32.19, Tulkarm 35.03 32.31, Maale Adumim 35.3 31.77
Northern Cyprus | CY |  | Nicosia north 33.36 35.20, Kyrenia 33.32 35.34, Famagusta 33.95 35.12, Morphou 32.99 35.2, Lefka 32.85 35.11, Rizokarpaso 34.38 35.6
Transnistria | MD |  | Tiraspol 29.63 46.84, Bender 29.48 46.83, Ribnita 29.0 47.77, Camenca 28.72 48.03, Dubasari 29.17 47.26, Grigoriopol 29.3 47.15, Slobozia 29.7 46.73, Dnestrovsc 29.91 46.62
Abkhazia | GE |  | Sukhumi 41.02 43.0, Gagra 40.27 43.28, Gali 41.73 42.63, Ochamchire 41.47 42.71, Tkvarcheli 41.68 42.85
South Ossetia | GE |  | Tskhinvali 43.97 42.23, Java 43.92 42.39, Akhalgori 44.48 42.12, Znauri 43.77 42.18, Kvaisa 43.65 42.53
Taiwan | TW | CN | Taipei 121.56 25.04
Kinmen | TW | CN | Kinmen 118.32 24.43
Matsu | TW | CN | Matsu 119.95 26.16
the southern Kuril Islands | RU | JP | Yuzhno-Kurilsk 145.86 44.03, Kurilsk Iturup 147.88 45.23, Shikotan 146.75 43.8, Habomai 146.1 43.45, Iturup NE 148.7 45.45
the Essequibo region | GY | VE | Bartica -58.62 6.4, Anna Regina -58.5 7.26, Lethem -59.8 3.38, Mabaruma -59.78 8.2, Annai -59.1 3.95, Mahdia -59.15 5.27, Kamarang -60.6 5.87, Aishalton -59.3 2.48, Apoteri -58.6 4.0
the Tigri area | GY | SR | Tigri -57.2 2.6
the Litani area | GF | SR | Litani -53.95 2.7
the south of Belize | BZ | GT | Punta Gorda BZ -88.8 16.1, Dangriga -88.22 16.97
the Falkland Islands | FK | AR | Stanley -57.85 -51.69
South Georgia | GS | AR | Grytviken -36.51 -54.28
Dokdo | KR | JP | Dokdo 131.867 37.242
the Senkaku Islands | JP | CN TW | Uotsuri Senkaku 123.47 25.745
Gibraltar | GI | ES | Gibraltar -5.35 36.14
`;

/** Towns outside, most of them within a few tens of kilometres: the country to be named, places. */
const OUTSIDE = `
UA | Odesa 30.72 46.48, Mykolaiv 32.0 46.97, Kherson city 32.62 46.64, Beryslav 33.43 46.84, Zaporizhzhia city 35.14 47.84, Nikopol 34.40 47.57, Orikhiv 35.79 47.57, Kramatorsk 37.56 48.74, Sloviansk 37.61 48.87, Kupiansk 37.61 49.71, Izium 37.26 49.21, Kharkiv 36.23 49.99, Dnipro 35.05 48.46
RU | Rostov RU 39.7 47.23, Taganrog RU 38.9 47.22, Temryuk RU 37.38 45.27, Anapa RU 37.32 44.9, Sochi RU 39.73 43.59, Adler RU 39.92 43.43, Urup 150.0 45.95, Yuzhno-Sakhalinsk 142.73 46.96
MA | Tarfaya -12.93 27.94, Tan-Tan -11.1 28.44, Agadir -9.6 30.42, Guelmim -10.06 28.98
DZ | Tindouf -8.14 27.67
MR | Bir Moghrein MR -11.58 25.22, Zouerat MR -12.47 22.74, Nouadhibou MR -17.04 20.93
IN | Pathankot 75.65 32.27, Gurdaspur 75.4 32.04, Dharamshala 76.32 32.22, Chamba 76.13 32.55, Keylong 77.03 32.57, Kaza 78.07 32.22, Manali 77.19 32.24, Amritsar 74.87 31.63, Tezpur 92.8 26.63, North Lakhimpur 94.1 27.23, Dibrugarh 94.91 27.48, Tinsukia 95.36 27.49, Margherita 95.68 27.29, Mon Nagaland 95.0 26.72, Dharchula IN 80.53 29.85, Munsiyari 80.24 30.07, Gangtok 88.61 27.33
PK | Lahore 74.34 31.55, Sialkot 74.53 32.49, Gujrat 74.08 32.57, Jhelum 73.73 32.93, Rawalpindi 73.05 33.6, Murree 73.39 33.91, Abbottabad 73.22 34.15, Mansehra 73.2 34.33, Naran 73.65 34.9, Chitral 71.79 35.85, Mastuj 72.52 36.28, Besham 72.87 34.93, Dasu Kohistan 73.29 35.29
CN | Dahongliutan 79.28 36.0, Rutog CN 79.73 33.39, Tashkurgan CN 75.23 37.77, Cona CN 91.95 27.99, Nyingchi CN 94.36 29.65, Yadong CN 88.91 27.48, Xiamen 118.09 24.48, Fuzhou 119.3 26.07
BT | Trashigang BT 91.55 27.33, Samdrup Jongkhar BT 91.5 26.8, Haa BT 89.28 27.39
NP | Darchula NP 80.55 29.85
SD | Khartoum 32.53 15.5, Muglad 27.73 11.03, Kadugli 29.72 11.01, Ed Daein 26.13 11.46, Port Sudan 37.22 19.62, Wadi Halfa 31.35 21.8
SS | Juba 31.58 4.85, Aweil 27.4 8.77, Gogrial 28.11 8.53, Bentiu 29.8 9.23, Mayom 29.17 9.22, Raga SS 25.68 8.46, Kapoeta SS 33.59 4.77
CF | Birao CF 22.79 10.28
EG | Marsa Alam 34.9 25.07, Aswan 32.9 24.09, Berenice 35.48 23.95, Abu Simbel 31.62 22.34
KE | Lokitaung KE 35.76 4.27, Lodwar 35.6 3.12, Lokichogio 34.35 4.2
ET | Omorate ET 36.04 4.8, Jijiga ET 42.8 9.35
SO | Garowe 48.48 8.41, Bosaso 49.18 11.28, Galkayo 47.43 6.77, Mogadishu 45.34 2.04
DJ | Djibouti 43.15 11.59
KM | Anjouan 44.44 -12.17
RS | Nis 21.9 43.32, Raska 20.62 43.29, Vranje 21.9 42.55, Novi Pazar 20.52 43.14
MK | Skopje 21.43 42.0, Tetovo 20.97 42.01
AL | Kukes AL 20.42 42.08
IL | Kiryat Shmona 35.57 33.21, Tiberias 35.53 32.79, Safed 35.5 32.97, Ein Gev 35.64 32.78, Haifa 34.99 32.8, Tel Aviv 34.78 32.08, West Jerusalem 35.2 31.78, Beer Sheva 34.79 31.25, Hadera 34.92 32.43, Afula 35.29 32.61, Modiin 35.01 31.9, Beit Shean 35.5 32.5, Arad 35.21 31.26
LB | Hasbaya LB 35.69 33.4
SY | Damascus 36.29 33.51, Daraa 36.1 32.62, Nawa SY 36.04 32.89
JO | Irbid JO 35.85 32.55, Amman 35.93 31.95
CY | Larnaca 33.63 34.92, Nicosia south 33.36 35.15, Ayia Napa 34.0 34.99, Paralimni 33.98 35.04, Limassol 33.04 34.68, Paphos 32.42 34.77, Polis 32.43 35.04, Pyrgos 32.68 35.16, Peristerona 33.08 35.13
GB | Dhekelia 33.73 34.98
MD | Chisinau 28.86 47.01, Soroca 28.3 48.16, Orhei 28.82 47.38, Rezina 28.96 47.74, Stefan Voda 29.66 46.51, Causeni 29.41 46.64, Criuleni 29.16 47.21, Anenii Noi 29.23 46.88, Soldanesti 28.8 47.82
GE | Zugdidi 41.87 42.51, Jvari 42.05 42.72, Mestia 42.73 43.05, Poti 41.67 42.15, Gori 44.11 41.98, Oni 43.44 42.58, Sachkhere 43.41 42.34, Kareli 43.9 42.02, Dusheti 44.7 42.09, Gudauri 44.48 42.48, Stepantsminda 44.64 42.66
JP | Nemuro 145.58 43.33, Shari 144.66 43.91, Rausu 145.19 44.02, Ishigaki 124.16 24.34, Yonaguni 123.0 24.45
GY | Georgetown -58.15 6.8, New Amsterdam -57.52 6.25, Linden -58.3 6.0, Parika -58.42 6.84, Kurupukari E -58.4 4.75
BR | Boa Vista BR -60.67 2.82, Bonfim BR -59.83 3.36
VE | Santa Elena VE -61.11 4.6, Tumeremo VE -61.5 7.3
SR | Skeldon -57.13 5.87, Kwamalasamutu SR -56.79 2.35
GF | Maripasoula GF -54.03 3.64, Camopi GF -52.34 3.17
BZ | Belmopan -88.77 17.25, San Ignacio -89.07 17.16, Belize City -88.19 17.5, Orange Walk -88.56 18.08
GT | Flores GT -89.89 16.93, Poptun GT -89.42 16.33, Livingston GT -88.75 15.83
AR | Rio Gallegos -69.22 -51.62, Ushuaia -68.3 -54.8
KR | Ulleungdo 130.9 37.5
ES | Ceuta -5.31 35.89
TJ | Vorukh 70.58 39.85
AZ | Stepanakert 46.75 39.82
TF | Tromelin 54.52 -15.89
`;

let dataDir = '';
let data: BuiltIn;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'firstmile-disputed-'));
  const log = createLog({ level: 'silent', json: true });
  data = await openBuiltIn({ dataDir, log, signal: new AbortController().signal });
});
after(async () => {
  await data.close();
  await rm(dataDir, { recursive: true });
});

describe('disputed territories', () => {
  for (const [territory, named, others, places] of rows(INSIDE))
    it(`name ${named} in ${territory}, and who else claims it`, async () => {
      for (const [town, lon, lat] of towns(places!)) {
        const { country, disputed } = await whereabouts(lon, lat);
        assert.deepEqual(
          [country?.iso2, disputed?.name, disputed?.otherCodes.join(' ')],
          [named, territory, others],
          town,
        );
        assert.ok(disputed!.otherClaims.length > 0, town);
      }
    });

  for (const [named, places] of rows(OUTSIDE))
    it(`are none in ${named} next door`, async () => {
      for (const [town, lon, lat] of towns(places!)) {
        const { country, disputed } = await whereabouts(lon, lat);
        assert.deepEqual([country?.iso2, disputed?.name], [named, undefined], town);
      }
    });

  it('each have a town in the table', () => {
    const named = new Set(rows(INSIDE).map(([territory]) => territory));
    assert.deepEqual(
      DISPUTED_TERRITORIES.map(({ name }) => name).filter((name) => !named.has(name)),
      [],
    );
  });
});

async function whereabouts(lon: number, lat: number): Promise<Whereabouts> {
  const answer = await data.sources.whereabouts([lon, lat]);
  assert.ok(answer !== null);
  return answer.value;
}

function rows(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

function towns(places: string): (readonly [town: string, lon: number, lat: number])[] {
  return places.split(', ').map((place) => {
    const words = place.split(' ');
    return [words.slice(0, -2).join(' '), Number(words.at(-2)), Number(words.at(-1))];
  });
}
