"""English words that the rules lean on: forms of address, verbs of speech and movement, nouns for people and places."""

from __future__ import annotations

from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a list written as one line of text."""
    return frozenset(text.split())


MALE_TITLES: Final = words(
    "mr mister sir lord king prince duke earl count baron viscount marquis squire father brother uncle grandfather "
    "mas'r mas’r monsieur m signor señor herr don master abbé abbot friar monk emperor tsar sultan gaffer goodman grandpa"
)
FEMALE_TITLES: Final = words(
    "mrs missis missus miss ms mistress madam madame mme mademoiselle mlle "
    "ma'amselle ma’amselle mam'selle mam’selle lady dame queen princess duchess countess baroness marchioness "
    "mother sister aunt grandmother nurse signora signorina señora señorita frau fräulein empress abbess goody "
    "grandma granny widow"
)
NEUTRAL_TITLES: Final = words(
    "dr doctor prof professor captain capt cap'n cap’n colonel col major lieutenant lieut sergeant sergt corporal general admiral "
    "commander commodore inspector superintendent constable detective judge justice rev reverend bishop archbishop cardinal pope "
    "president senator governor mayor minister chancellor chief cousin old young saint comrade agent officer "
    "farmer shepherd lawyer parson vicar curate deacon coroner sheriff marshal bailiff boatswain bosun"
)
TITLES: Final = MALE_TITLES | FEMALE_TITLES | NEUTRAL_TITLES

# titles of one man that a text uses in turn
INTERCHANGEABLE_TITLES: Final = (
    {
        "doctor": "dr",
        "professor": "dr",
        "prof": "dr",
        "mister": "mr",
        "capt": "captain",
        "cap'n": "captain",
        "cap’n": "captain",
    }
    | {
        "col": "colonel",
        "lieut": "lieutenant",
        "sergt": "sergeant",
        "reverend": "rev",
    }
    | {
        "missis": "mrs",
        "missus": "mrs",
        "mas'r": "master",
        "mas’r": "master",
        "monsieur": "mr",
        "m": "mr",
        "mme": "mrs",
        "mlle": "miss",
        "signor": "mr",
        "señor": "mr",
        "herr": "mr",
        "madame": "mrs",
        "signora": "mrs",
        "señora": "mrs",
        "frau": "mrs",
        "mademoiselle": "miss",
        "signorina": "miss",
        "señorita": "miss",
        "fräulein": "miss",
    }
)

# words that may stand before a name and are no part of it
LOOSE_TITLES: Final = words("old young cousin comrade saint nurse")

# titles that as often as not stand before a given name ("Lady Catherine", "Aunt Polly")
BEFORE_A_GIVEN_NAME: Final = words(
    "miss lady sir master king queen prince princess uncle aunt cousin brother sister father mother saint lord dame "
    "emperor empress pope nurse"
)

PARTICLES: Final = words("de von van der den la le du di da del dos des ibn bin al el y")

RANKS_OF_A_PLACE: Final = words(
    "king queen prince princess duke duchess earl lord lady count countess baron bishop archbishop isle bay cape gulf "
    "house city university bank church mount court hall knight master castle tower sea lake valley bridge hill"
)

PLACE_WORDS: Final = words(
    "abbey alley avenue bay beach bridge bay canyon cape castle church city cliff coast college cottage county "
    "court bank buildings cove creek crescent cross dale dock docks downs east estate farm ferry field fields ford "
    "forest garden gardens gate glen grange green grove gulf hall harbor harbour heath hill hills hotel house inlet "
    "inn island islands isle junction lake lakes lane infirmary hospital asylum office offices lodge manor market "
    "marsh meadow mere mill mills moor mount mountain mountains north ocean palace parish park parsonage pass place "
    "plain point pond pool port prison quay reef ridge river road row school sea shire sound south square station "
    "strait straits street temple terrace tavern tower town vale valley village walk well west wharf wood woods "
    "yard"
)

COMPASS: Final = words("north south east west north-east north-west south-east south-west orient continent")

GROUP_WORDS: Final = words(
    "army band brigade club company committee corps council court family firm guild house league ministry order "
    "navy parliament party police regiment senate society tribe union"
)

SPEECH_VERBS: Final = words(
    "say ask cry reply answer exclaim whisper murmur mutter shout call return add continue observe remark repeat "
    "demand inquire enquire declare announce begin interrupt interpose rejoin respond retort suggest tell growl "
    "snarl hiss groan moan sigh sob laugh scream yell roar bellow mumble stammer protest insist urge plead beg command "
    "order warn agree admit confess assure explain resume conclude proceed pronounce ejaculate falter gasp croak purr "
    "snap sneer grumble chuckle giggle whimper wail drawl breathe pant offer put pursue assent acknowledge affirm "
    "argue assert boast complain correct counter echo entreat hail holler implore mention muse object persist ponder "
    "promise propose quote rasp recite rumble shriek speak squeak splutter sputter thunder vow volunteer wonder"
)

ASKING: Final = words("ask inquire enquire demand question wonder")
ANSWERING: Final = words("reply answer respond rejoin retort return")

INNER_VERBS: Final = words(
    "think feel know believe hope wish fear smile nod shrug frown blush laugh weep cry love hate remember forget "
    "wonder decide resolve imagine suppose want look see hear listen stare glance gaze sit stand walk run sleep wake "
    "eat drink marry kiss dress bow curtsey kneel"
)

MOVING: Final = words(
    "arrive come go return enter reach visit walk ride run drive travel sail land hurry rush march climb step stroll "
    "wander hasten journey creep slip move settle retire sneak dash row fly proceed"
)
STAYING: Final = words(
    "stay sit stand wait remain sleep lie dine live lodge dwell stop linger rest work hide kneel breakfast sup"
)
ENTERING: Final = words("enter reach visit")

NO_EVENT: Final = words(
    "be have seem appear do need want know think believe suppose feel mean like consist contain depend resemble belong "
    "deserve lack matter concern involve include tend remain look keep own possess hope wish fear understand consider"
)

PERSON_NOUNS: Final = words(
    "man woman boy girl child king queen prince princess duke duchess lord lady knight squire captain doctor "
    "soldier sailor servant maid nurse cook butler coachman footman driver shepherd hunter fisherman farmer miller "
    "tailor blacksmith carpenter merchant innkeeper landlord landlady host hostess priest monk nun bishop witch wizard "
    "sorcerer magician fairy giant ogre dwarf elf troll dragon goblin mermaid ghost devil angel thief robber beggar "
    "stranger traveller traveler pilgrim widow widower bride bridegroom husband wife mother father sister brother son "
    "daughter uncle aunt cousin grandmother grandfather stepmother emperor empress sultan vizier general colonel major "
    "sergeant lieutenant officer inspector detective policeman constable judge lawyer clerk teacher schoolmaster "
    "governess professor gentleman youth lad lass maiden fellow baby hermit gardener porter guard messenger minister "
    "wolf fox bear lion tiger cat dog horse mouse rat bird crow raven eagle frog toad fish snake serpent goat sheep "
    "donkey ass cow ox pig hen cock goose duck monkey rabbit hare hatter caterpillar pigeon gryphon"
)
FEMALE_NOUNS: Final = words(
    "woman girl queen princess duchess lady maid witch fairy mermaid widow bride wife mother sister daughter aunt "
    "grandmother stepmother empress maiden landlady hostess lass governess nun nurse hen cow"
)
MALE_NOUNS: Final = words(
    "man boy king prince duke lord knight squire captain footman coachman priest monk bishop wizard widower bridegroom "
    "husband father brother son uncle grandfather emperor sultan gentleman lad landlord schoolmaster policeman cock ox"
)

# people whom so bare a description does not tell apart
ANYBODY: Final = words(
    "man woman boy girl child fellow gentleman lady servant maid stranger driver soldier sailor officer guard lad youth "
    "baby person husband wife mother father brother sister son daughter cousin aunt uncle"
)

NO_NAMES: Final = words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december christmas easter michaelmas sabbath god lord heaven heavens providence christ "
    "jesus oh ah yes no well why hush alas hurrah hullo hallo hello indeed nay pray sir madam ma'am good-bye goodbye "
    "hey chapter book part volume letter canto prologue epilogue bible english french german spanish italian american "
    "latin greek roman russian dutch irish scotch scottish turkish chinese jewish christian i'm i'll i've i'd mr mrs "
    "miss ms tut pooh bah eh ay aye ha o darling dear thank thanks please ok okay amen damn esq esquire mem note p.s postscript "
    "spirit nature fate fortune la yo avast oho agreed overboard thunder belay wot shipmates death time love mama "
    "mamma papa ladyship lordship majesty highness honour excellency worship journal diary memorandum telegram "
    "postscript people sirs messrs parson gentlemen ladies children mum mummy dad daddy father mother sir ma'am "
    "tis twas twill everybody nobody somebody anybody everyone everything nothing something anything"
)

# words among these that are surnames as well
SURNAMES_TOO: Final = words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december christmas easter english french german love fortune lord nature bible parson"
)

MALE_NAMES: Final = words(
    "james john robert michael william david richard joseph thomas charles henry george edward frank arthur albert "
    "frederick walter harold francis peter paul daniel matthew mark luke simon andrew philip stephen anthony samuel "
    "benjamin jacob jonathan nathaniel nicholas oliver edmund edgar ernest herbert hugh humphrey isaac jack jim tom "
    "dick harry ben bill billy bob bobby tommy jimmy johnny joe jeremy julian kenneth lawrence leonard lewis louis "
    "martin maurice miles neville oscar owen patrick percy ralph raymond roger roland rupert sebastian sidney silas "
    "theodore timothy tobias victor vincent alan alexander alfred ambrose archibald augustus barnaby basil bernard "
    "bertram cecil christopher clarence clement cyril dennis donald douglas duncan eric eugene felix fitzwilliam gabriel "
    "aaron abel abner adam alec algernon allan antoine archie auguste barney bartholomew caleb carl claude conrad "
    "cornelius cyrus dan dave davy dominic ebenezer eddie edwin elias elijah elliot enoch ephraim everard ezekiel ezra "
    "ferdinand fergus fred freddy fritz gaston giles graham gustav hamish hans hiram horatio howard ian ivan jake jasper "
    "jeremiah jerome jerry jonas josiah joshua jules karl leander leo leon leopold levi lionel luther malcolm marcus max "
    "maximilian morris moses nat nathan ned nigel noah noel norman orlando otto phil phineas pierre randolph raoul reginald "
    "reuben rodney ronald rory rudolph rufus sam samson saul seth simeon solomon stanley steven stewart sydney ted teddy "
    "tim valentine vernon wilfred willie zachary "
    "alf alfie alick andy art artie bart bert bertie charley charlie chris dickie eben ernie freddie gabe geordie "
    "georgy gil greg gus hal hank jacky jake jamie jem joey jon jos larry laurie matt mick micky mike noll paddy pete rick "
    "ron ronnie sammy sandy seb steve theo toby tony vince wat wally wilf willy zack "
    "geoffrey gerald gilbert godfrey gregory guy harvey hector horace huck quincey abraham sherlock john mycroft "
    "adolphus adrian alastair alistair alphonse anatole angus antonio armand boris bruno carlo carlos casimir "
    "cedric constantine crispin dimitri dmitri edouard egbert emil emile erasmus erich ernst "
    "fabian florian francesco françois franz frederic friedrich fyodor giovanni giuseppe gottfried "
    "gregor guido gustave heinrich henri hermann hugo ichabod ignatius igor isaiah isidore jabez joachim juan "
    "kurt lancelot lorenzo lucian lucien lucius ludwig luigi luis manuel marcel marco mario "
    "marmaduke matthias miguel mikhail mordecai nikolai olaf osbert pablo paolo pascal pedro peregrine "
    "perceval philippe pietro quentin raphael rowland sergei sigmund silvester silvio stefan sylvester "
    "tancred terence thaddeus theobald tristram vladimir wilbur wilhelm wolfgang xavier yves zebedee"
)
FEMALE_NAMES: Final = words(
    "mary anne anna ann elizabeth eliza jane catherine katherine kate kitty lydia charlotte emma harriet georgiana "
    "caroline louisa maria margaret martha sarah susan alice ellen emily helen julia laura lucy mina nancy rebecca "
    "rosamond rose ruth sophia victoria virginia agnes amelia amy annie beatrice bella bertha betsy betty bridget "
    "abigail adela adelaide adelina agatha alexandra alma anastasia angela angelina annabel annette antoinette antonia "
    "arabella audrey augusta barbara becky bess blanche camilla carrie celestine celia christina christine clarissa "
    "claudia clementina cordelia cornelia cynthia daphne deborah delia dinah doris dorothea edna effie elinor elise elsie "
    "elspeth enid ernestine estelle eugenie eunice euphemia evangeline evelyn felicia freda gabrielle genevieve georgina "
    "geraldine gladys greta gwendolen hattie helena hetty hilda honoria hortense imogen inez isabelle jacqueline janet "
    "jemima jessica joanna juliana julie justine katharine kathleen katie leah leila lena leonora letitia letty lillian "
    "linda lottie louise lucia lucinda lucretia madeleine maggie mamie margery marguerite mariana marie marion marjorie "
    "mollie monica muriel myra nan naomi nettie nina nora norah octavia ophelia pamela patty paula pauline philippa "
    "phyllis priscilla rhoda rosa rosalie rosalind rosie sara selina serena sibyl sophie sophy stella susannah sylvie "
    "tabitha theodora therese tilly una vera veronica vivien winnie yvonne zoe "
    "cecilia clara constance cora daisy diana dora dorothy edith eleanor esther ethel eva eve fanny flora florence "
    "frances gertrude grace hannah henrietta hester ida irene isabel isabella jenny jessie josephine joan judith juliet "
    "lavinia lilian lily lizzie mabel madeline marian marianne marilla matilda maud meg mildred minnie molly nell "
    "nellie olive olivia penelope phoebe polly prudence rachel sally sylvia theresa ursula violet winifred wilhelmina "
    "biddy estella bathsheba beth jo tess peggy dolly diane ada adele "
    "lizzy lizzie sissy cissy sophia hattie evie daphne sally susie sue molly millie milly mamie josie prissy gertie "
    "tillie minnie carrie lottie effie essie hester hatty penny becky abby addie aggie rosy rosie trixie connie chrissie "
    "tina flo flossie florrie georgie gertrude trudy etta belle lil lou loo cindy moll poll matty tilda prue sadie sal sukey "
    "dorcas ruby pearl hazel ivy myrtle muriel tessie vicky ginny freda cecily celia dodo thea nan emmy allie cathy katy janey "
    "alicia amabel angelica anita annabella babette bettina bianca bronwen carlotta carmen cassandra catharine "
    "catriona chloe clarice claire colette corinna dagmar dolores doreen drusilla edwina eileen elaine ella "
    "eloise elsa erica ernestina esmeralda eudora eulalia flavia frederica giulia gretchen griselda gudrun gwen "
    "gwendolyn helga henriette hermione ilse inga ingrid isobel isolde jeanne jeannette jill johanna kathryn "
    "lenore leonie lilias lola lorna lucie lucilla lucille luisa maisie malvina marcella marcia margot marta "
    "mattie maude mavis melissa mercedes millicent minna miranda miriam moira mona nadine natalie natasha nelly netta "
    "olga ottilie phebe philomena portia renée roberta rosaline rosanna rosemary rosetta rowena roxana sabina "
    "salome sheila sidonie sigrid simone sonia sonya stephanie susanna suzanne sybil thelma thomasina thora valerie "
    "vanessa vashti violetta virginie vivienne wanda winona zelda zenobia zillah"
)

GIVEN_NAMES: Final = MALE_NAMES | FEMALE_NAMES

ENGLISH_FUNCTION_WORDS: Final = words(
    "the of and to a in that it was he his she her with as for had you not be is on at by i they were him from but have "
    "my me all so this there which would could we no said an been their them are who what if or then when"
)
