package sample

// A writer is one account of the full site.
type writer struct {
	name, handle, country, city, street string
	languages                           []string
}

// The first three are those of People.
var writers = []writer{
	{"Ann", "ann", "NO", "Oslo", "Storgata 1", []string{"nb", "en"}},
	{"Bob", "bob", "GB", "York", "Mill Lane 12", []string{"en"}},
	{"Cleo", "cleo", "GR", "Chania", "Zampeliou 40", []string{"el", "en", "fr"}},
	{"Mira Lindqvist", "mira", "SE", "Uppsala", "Svartbäcksgatan 8", []string{"sv", "en"}},
	{"Tomasz Zieliński", "tomek", "PL", "Gdańsk", "Mariacka 23", []string{"pl", "de"}},
	{"Aoife Ní Bhriain", "aoife", "IE", "Galway", "Quay Street 5", []string{"ga", "en"}},
	{"Jorge Almeida", "jorge", "PT", "Coimbra", "Rua da Sofia 71", []string{"pt", "es"}},
	{"Hanna Virtanen", "hanna", "FI", "Tampere", "Hämeenkatu 19", []string{"fi", "sv", "en"}},
	{"Luca Ferretti", "luca", "IT", "Bologna", "Via Zamboni 33", []string{"it"}},
	{"Nadia Benali", "nadia", "MA", "Fès", "Rue Talaa Kebira 14", []string{"ar", "fr"}},
	{"Oliver O'Hara", "ohara", "US", "Portland", "Alder Street 410", []string{"en"}},
	{"Yuki Tanaka", "yuki", "JP", "Kanazawa", "Higashiyama 1-13", []string{"ja", "en"}},
	{"Elif Demir", "elif", "TR", "İzmir", "Kıbrıs Şehitleri 102", []string{"tr", "en"}},
	{"Sander de Vries", "sander", "NL", "Groningen", "Oude Boteringestraat 44", []string{"nl", "en", "de"}},
	{"Camille Laurent", "camille", "FR", "Lyon", "Rue Mercière 27", []string{"fr"}},
	{"Arjun Menon", "arjun", "IN", "Kochi", "Bazaar Road 9", []string{"ml", "hi", "en"}},
	{"Katarína Horváthová", "katka", "SK", "Košice", "Hlavná 68", []string{"sk", "hu"}},
	{"Mateo Quispe", "mateo", "PE", "Cusco", "Calle Hatunrumiyoc 3", []string{"es", "qu"}},
	{"Freya Sørensen", "freya", "DK", "Aarhus", "Mejlgade 51", []string{"da", "en"}},
	{"Piet Janssens", "piet", "BE", "Ghent", "Sleepstraat 77", []string{"nl", "fr"}},
	{"Ingrid Bauer", "ingrid", "AT", "Graz", "Sporgasse 15", []string{"de"}},
	{"Samuel Okafor", "samuel", "NG", "Enugu", "Ogui Road 130", []string{"ig", "en"}},
	{"Marta Kovač", "marta", "HR", "Rijeka", "Korzo 28", []string{"hr", "it"}},
	{"Gwen Pritchard", "gwen", "GB", "Aberystwyth", "Marine Terrace 6", []string{"cy", "en"}},
	{"Paulo Ribeiro", "paulo", "BR", "Salvador", "Rua Chile 17", []string{"pt"}},
	{"Anneli Tamm", "anneli", "EE", "Tartu", "Rüütli 11", []string{"et", "en", "ru"}},
	{"David Rosen", "rosen", "IL", "Haifa", "Masada Street 21", []string{"he", "en"}},
	{"Lotte Meier", "lotte", "CH", "Bern", "Gerechtigkeitsgasse 60", []string{"de", "fr", "it"}},
	{"Jun-ho Park", "junho", "KR", "Jeonju", "Girin-daero 99", []string{"ko", "en"}},
	{"Rosa Delgado", "rosa", "ES", "Granada", "Calle Elvira 80", []string{"es"}},
	{"Viktor Nagy", "viktor", "HU", "Pécs", "Király utca 35", []string{"hu", "de"}},
	{"Emma Whitfield", "emma", "NZ", "Dunedin", "Stuart Street 204", []string{"en"}},
	{"Bjarni Jónsson", "bjarni", "IS", "Akureyri", "Hafnarstræti 94", []string{"is", "en"}},
	{"Zanele Dlamini", "zanele", "ZA", "Durban", "Florida Road 258", []string{"zu", "en"}},
	{"Petra Novotná", "petra", "CZ", "Brno", "Kobližná 4", []string{"cs"}},
	{"Henry Cartwright", "henry", "CA", "Halifax", "Barrington Street 1675", []string{"en", "fr"}},
	{"Leila Haddad", "leila", "LB", "Tyre", "Harbour Road 2", []string{"ar", "fr", "en"}},
	{"Ruben Castillo", "ruben", "MX", "Oaxaca", "Calle Alcalá 301", []string{"es"}},
	{"Signe Berzina", "signe", "LV", "Liepāja", "Graudu iela 42", []string{"lv", "en"}},
	{"Anton Weiss", "anton", "DE", "Leipzig", "Karl-Heine-Straße 55", []string{"de", "en"}},
}

// In what follows %s is a subject, %S one with a capital.
var titles = []string{
	"A beginner's guide to %s",
	"What nobody told me about %s",
	"%S, step by step",
	"Ten years of %s",
	"Notes on %s",
	"In praise of %s",
	"The quiet pleasure of %s",
	"My mistakes with %s",
	"%S on a small budget",
	"Coming back to %s",
	"\"Why bother with %s?\"",
	"%S without the fuss",
	"A year with %s, month by month",
	"100% %s: an experiment",
}

var openings = []string{
	"For years I put off writing about %s, because everybody else had.",
	"A reader asked for a piece about %s, and here it is.",
	"Last winter I gave every free evening to %s.",
	"I came to %s late, and by accident.",
	"There are books about %s, and then there is what happens on a Saturday.",
	"Somebody on the train saw my notes about %s and had a good deal to say.",
	"This is the third time that I begin a text about %s.",
}

var closings = []string{
	"So much for %s; next time I shall write about what went wrong afterwards.",
	"If you know more about %s than I do, the comments are open.",
	"That is all that I know about %s, and perhaps a little more.",
	"In a year I shall read this again and disagree with half of it.",
	"Try it once, badly, and then decide.",
	"Corrections are welcome and will be credited.",
}

var summaries = []string{
	"What I learnt about %s, and what I had to unlearn.",
	"A short, practical text about %s.",
	"An honest account of %s, failures included.",
	"Everything that I wish I had read about %s earlier.",
}

var bios = []string{
	"Writes about %s, and thinks about it the rest of the time.",
	"Began with %s and never quite stopped.",
	"Former teacher, now mostly %s.",
	"Lives with two cats and an interest in %s.",
	"Knows a little of everything and too much of %s.",
}

var comments = []string{
	"Thank you, this came at the right time.",
	"I read it twice, and the second time with a pencil.",
	"Not sure that I agree with the third paragraph.",
	"Bookmarked for the weekend.",
	"More of this, please.",
	"You left out the most difficult part!",
	"My father did it exactly this way.",
	"Is there a follow-up planned?",
	"This contradicts what you wrote last year, and I like it better.",
	"Small typo in the second sentence, otherwise perfect.",
	"I tried it yesterday and it works.",
	"I tried it yesterday and it doesn't work, what did I miss?",
	"The best thing that I have read here in months.",
	"Shared with our whole club.",
	"It depends on the weather, as always.",
	"Short and to the point.",
}

var replies = []string{
	"Glad to hear it!",
	"Good point, I shall add a note.",
	"It did for me, but your mileage may vary.",
	"Yes, in spring.",
	"I wondered about the same thing.",
	"No, and I would not recommend it.",
	"See the second part, it is explained there.",
	"Fixed, thank you.",
	"That is exactly what I meant.",
	"We should talk about this over coffee.",
	"I stand corrected.",
}

var notes = []string{
	"First version",
	"Shorter opening",
	"Typos",
	"New title",
	"Took the advice from the comments",
	"Cut the second half",
	"Checked the figures",
	"Links mended",
	"Rewrote the end",
}

var colors = []string{"#c0392b", "#27ae60", "#2980b9", "#8e44ad", "#d35400", "#16a085", "#7f8c8d", "#f39c12"}
