"""Common nouns of people, places and vessels, and nouns that name something that happens."""

from __future__ import annotations

from typing import Final, Literal

from services.extraction.offline.lexicon import PERSON_NOUNS, words

Sort = Literal["PER", "LOC", "FAC", "GPE", "VEH", "ORG"]
"""A person, a natural place, a built place, a place with a government, a vessel, an organisation."""

_ANIMALS: Final = words(
    "wolf fox bear lion tiger cat dog horse mouse rat bird crow raven eagle frog toad fish snake serpent goat sheep donkey "
    "ass cow ox pig hen cock goose duck monkey rabbit hare caterpillar pigeon gryphon dragon"
)

_PEOPLE: Final = (PERSON_NOUNS - _ANIMALS) | words(
    "people person men women folk folks gentry nobility peasantry crowd mob throng audience company party family "
    "household couple pair group gang crew band tribe race class generation host multitude assembly congregation "
    "children kid infant orphan pupil scholar student schoolboy schoolgirl schoolfellow playmate playfellow "
    "friend companion comrade mate fellow-creature acquaintance neighbour neighbor enemy foe rival lover sweetheart "
    "parent mamma papa mama mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law "
    "nephew niece grandson granddaughter grandchild ancestor descendant heir heiress relation relative kinsman spouse "
    "mistress master owner proprietor tenant lodger guest visitor caller inmate inhabitant resident citizen villager "
    "townsman countryman native foreigner savage immigrant settler colonist slave negro mulatto indian gipsy gypsy "
    "englishman frenchman scotchman irishman american turk jew christian heathen catholic protestant "
    "author writer poet novelist painter artist musician singer actor actress dancer sculptor editor publisher "
    "reader critic philosopher historian scientist naturalist astronomer engineer architect inventor explorer "
    "physician surgeon apothecary dentist patient invalid barrister solicitor attorney counsel advocate magistrate "
    "juror jury witness prisoner criminal convict murderer villain rascal scoundrel rogue wretch ruffian pirate outlaw "
    "smuggler spy traitor hero heroine coward genius fool idiot lunatic madman simpleton darling dear creature soul "
    "being mortal figure stranger passenger pedestrian passer-by spectator onlooker listener speaker dweller "
    "clergyman parson curate vicar rector preacher minister chaplain deacon missionary saint martyr apostle prophet "
    "monarch sovereign ruler nobleman noblewoman peer peasant serf labourer laborer worker workman mechanic artisan "
    "mason weaver shoemaker cobbler baker butcher grocer shopkeeper shopman dealer trader peddler pedlar agent broker "
    "banker manufacturer employer employee clerk secretary bookkeeper accountant manager director president chairman "
    "housekeeper housemaid chambermaid kitchenmaid waiter waitress barber valet groom butler page nursemaid drudge "
    "steward bailiff overseer foreman apprentice partner colleague chief chieftain leader commander warrior hunter "
    "seaman mariner skipper boatswain pilot mate boatman ferryman cabman cabby conductor postman watchman sentinel "
    "sentry trooper recruit veteran hussar dragoon corporal ensign admiral marshal lieutenant aide-de-camp governor "
    "senator statesman politician deputy ambassador consul mayor sheriff alderman warden gaoler jailer keeper "
    "bachelor spinster maid maidservant manservant damsel dame matron wench hag crone beauty belle chap guy bloke "
    "adult elder senior junior elderly youngster urchin brat twin triplet newcomer chum pal ally follower disciple "
    "adherent supporter opponent adversary suitor admirer bridesmaid godmother godfather guardian ward protege tutor "
    "instructor headmaster principal professor doctor expert specialist detective reporter correspondent journalist "
    "madam sir gentlefolk gentlewoman sportsman horseman rider driver cyclist swimmer sleeper drunkard gambler victim "
    "survivor fugitive exile refugee captive hostage executioner hangman undertaker sexton verger organist ringer "
    "everybody everyone somebody someone anybody anyone nobody"
)
_BUILT: Final = words(
    "house home cottage hut cabin shanty lodge villa mansion palace castle tower fort fortress manor hall farm "
    "farmhouse barn stable shed outhouse mill inn tavern hotel pub public-house lodging lodgings apartment apartments "
    "flat tenement building edifice structure church chapel cathedral abbey convent monastery temple mosque churchyard "
    "cemetery graveyard grave tomb vault school schoolroom schoolhouse college university academy library museum "
    "theatre theater hospital asylum prison jail gaol cell dungeon court courtroom office counting-house bank shop "
    "store market marketplace warehouse factory workshop foundry studio station railway depot dock wharf pier quay "
    "room chamber bedroom bedchamber parlour parlor drawing-room dining-room sitting-room breakfast-room kitchen "
    "pantry nursery study attic garret cellar loft closet bathroom hallway corridor passage gallery landing staircase "
    "stairs stair lobby vestibule porch veranda verandah balcony terrace piazza courtyard yard garden lawn "
    "park orchard vineyard plantation street road lane alley avenue path pathway highway thoroughfare pavement sidewalk "
    "square bridge gate gateway threshold doorway door fireside hearth corner bench pew pulpit stage box "
    "saloon ballroom ball-room barrack barracks camp tent headquarters estate premises establishment "
    "residence dwelling abode quarters neighbourhood neighborhood "
    "window-seat ward laboratory surgery consulting-room club bar-room coffee-house restaurant café arena"
) - words("corner bench box door stage")
_NATURAL: Final = words(
    "sea ocean lake river stream brook creek pond pool marsh swamp bog moor heath plain prairie desert forest wood "
    "woods jungle grove thicket copse valley vale glen dale gorge ravine canyon hill hills hillside hilltop mountain "
    "mountains mount peak summit cliff cliffs precipice slope ridge rock rocks cave cavern beach shore shores seashore "
    "coast sands bay gulf cove harbour harbor strait channel island islands isle isles peninsula cape continent "
    "earth world globe land lands wilderness country countryside region regions district meadow field fields pasture "
    "common clearing glade bank banks sky heavens heaven hell horizon east west north south universe planet moon sun star "
    "waterfall cataract spring fountain volcano glacier hollow dell waste territory waters"
) - words("sky sun moon star bank spring common heavens horizon")
_GOVERNED: Final = words(
    "town village city hamlet parish county state kingdom empire nation republic colony capital province metropolis borough"
)
_VESSELS: Final = words(
    "ship boat vessel schooner sloop brig frigate steamer steamboat ferry barge canoe raft yacht cutter lugger galley "
    "carriage coach cab hansom cart wagon waggon chaise gig phaeton barouche omnibus stage-coach sledge sleigh "
    "train car automobile motor-car bicycle balloon aeroplane airship wheelbarrow launch"
) - words("wheelbarrow")
_ORGANISED: Final = words(
    "army navy parliament government regiment police ministry committee firm corporation congress senate"
)

_SORTED: Final[tuple[tuple[Sort, frozenset[str]], ...]] = (
    ("ORG", _ORGANISED),
    ("VEH", _VESSELS),
    ("GPE", _GOVERNED),
    ("LOC", _NATURAL),
    ("FAC", _BUILT),
    ("PER", _PEOPLE),
)
NOUN_SORTS: Final[dict[str, Sort]] = {noun: sort for sort, nouns in _SORTED for noun in nouns}
"""The sort of thing a common noun names, by its lemma."""

_PERSON_ENDINGS: Final = ("man", "men", "woman", "women", "keeper", "monger", "maker", "wright", "herd")


def sort_of(lemma: str) -> Sort | None:
    """What a noun names: None for things, thoughts and beasts."""
    if lemma in NOUN_SORTS:
        return NOUN_SORTS[lemma]
    last = lemma.rpartition("-")[2]
    if last != lemma and last in NOUN_SORTS:
        return NOUN_SORTS[last]
    return "PER" if len(lemma) > 6 and lemma.endswith(_PERSON_ENDINGS) else None


HAPPENINGS: Final = words(
    "arrival departure return entrance approach escape flight pursuit chase journey voyage trip walk ride drive march "
    "visit meeting interview conversation talk dialogue discussion debate argument quarrel dispute fight battle struggle "
    "blow kick push pull stroke shot explosion crash fall accident death murder marriage wedding funeral birth burial "
    "dinner supper breakfast luncheon ball dance party feast ceremony performance speech reply answer question "
    "inquiry remark exclamation cry shout scream shriek groan sob sigh laugh laughter smile grin frown glance look gaze "
    "stare nod gesture bow kiss embrace touch grasp knock ring noise sound whisper murmur rustle roar howl growl "
    "storm rain snow thunder lightning wind blast movement motion turn jump leap bound rush start attack "
    "assault defeat victory defence discovery revelation announcement proposal offer promise request demand command "
    "refusal examination inspection search observation surprise astonishment alarm shock pause silence "
    "applause cheer song tears blush shudder shiver tremor whistle cough sneeze yawn wink shrug squeeze "
    "advance retreat ascent descent crossing expedition excursion ramble stroll race gallop trot stampede collision stumble "
    "plunge dive somersault landing glimpse gasp snore snort grunt chuckle giggle sneer wince flush swoon spasm convulsion "
    "paroxysm slap nudge pat caress handshake curtsey curtsy clatter clang thud bang boom creak squeak hiss hum buzz jingle "
    "tinkle chime peal clap echo splash patter rattle tramp footstep tread shuffle rap tap oath curse prayer lecture sermon "
    "greeting farewell apology explanation complaint protest confession warning threat insult invitation suggestion chat "
    "chatter consultation negotiation bargain theft robbery killing slaughter massacre execution punishment beating whipping "
    "arrest betrayal revenge rescue capture siege invasion raid skirmish duel riot revolt mutiny interruption disturbance "
    "outbreak eruption disappearance appearance transformation collapse recovery loss wreck shipwreck christening baptism "
    "coronation celebration concert contest hunt experiment investigation decision resolution reflection recollection "
    "exertion effort attempt exchange dismissal separation reunion encounter greeting welcome reception rebuke reproach"
) - words("wind silence start sound tears look appearance question turn ball ring bow stroke resolution snow")
"""Nouns that name something that happens, where they stand for a single occurrence."""

PHENOMENA: Final = words(
    "fire wind fog mist haze blaze glow glare flash breeze gale tempest squall blizzard avalanche earthquake noise sound music "
    "din clamour clamor uproar hubbub commotion tumult bustle stir melody"
)
"""Nouns that name what goes on by itself, to be seen or heard while it lasts; it needs no article."""
STIRRINGS: Final = words(
    "tear thought sensation surprise confusion inference deduction reflection laughter astonishment amazement bewilderment "
    "glance shudder blush"
)
"""Nouns that name what goes on in somebody, single or not."""
