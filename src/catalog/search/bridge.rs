//! Translation between Spanish and English: a small table of words for documents, programs, data and offices.
//!
//! The table lets a Spanish question find an English skill and the other way round. It is not a dictionary: many
//! technical words need no entry because they share a stem (`proteína`, `protein`). In `benches/search.rs`, twelve
//! Spanish questions ask for English skills. A right skill is among the first five for four of them without the table,
//! and for all twelve with it.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use super::{language::Language, vocabulary::Vocabulary};

/// English words, then the Spanish ones of the same meaning. A space separates the words of one side. Folded.
#[rustfmt::skip]
const PAIRS: &[(&str, &str)] = &[
    // Doing.
    ("add append", "anadir agregar"), ("analyze analysis analyse", "analizar analiza analisis"), ("answer reply", "responder respuesta"),
    ("approve approval", "aprobar aprobacion"), ("ask", "preguntar"), ("attach attachment", "adjuntar adjunto"), ("build", "construir compilar"),
    ("buy purchase", "comprar compra"), ("calculate compute calculation", "calcular calculo"), ("cancel", "cancelar"),
    ("change modify", "cambiar cambio modificar"), ("check verify verification", "comprobar verificar verificacion"), ("choose select", "elegir seleccionar"), ("clean", "limpiar limpieza"),
    ("close", "cerrar cierre"), ("compare comparison", "comparar comparacion"), ("configure configuration setup", "configurar configuracion"),
    ("convert conversion", "convertir conversion"), ("copy", "copiar copia"), ("create", "crear"), ("delete remove", "borrar eliminar"),
    ("deploy deployment", "desplegar despliegue"), ("design", "disenar diseno"), ("detect detection", "detectar deteccion"), ("develop development", "desarrollar desarrollo"), ("download", "descargar descarga"),
    ("draft", "borrador redactar"), ("draw drawing", "dibujar dibujo"), ("edit", "editar edicion"), ("email mail", "correo"), ("explain explanation", "explicar explicacion"),
    ("extract extraction", "extraer extraccion"), ("fill", "rellenar"), ("filter", "filtrar filtro"), ("find", "encontrar"), ("fix repair", "arreglar corregir reparar"), ("format", "formato formatear"),
    ("generate", "generar genera"), ("improve improvement", "mejorar mejora"), ("install installation", "instalar instalacion"), ("learn learning", "aprender aprendizaje"),
    ("maintain maintenance", "mantener mantenimiento"), ("manage management", "gestionar gestion"), ("measure measurement", "medir medida"), ("merge", "fusionar fusion mezclar"), ("move", "mover"),
    ("open", "abrir abierto"), ("optimize optimization", "optimizar optimizacion"), ("order", "pedido orden ordenar"), ("pay payment", "pagar pago"), ("plan planning", "planificar planificacion plan"),
    ("predict prediction forecast", "predecir prediccion prever"), ("prepare", "preparar"), ("print", "imprimir"), ("publish", "publicar"), ("read", "leer lectura"), ("record", "registrar registro grabar"),
    ("request", "solicitar solicitud peticion"), ("research", "investigar investigacion"), ("review", "revisar revision"), ("run execute", "ejecutar ejecucion"), ("save", "guardar"), ("schedule", "programar calendario horario"),
    ("search lookup", "buscar busqueda"), ("sell sale", "vender venta"), ("send", "enviar envio"), ("share", "compartir"), ("sign signature", "firmar firma"), ("simplify", "simplificar"), ("simulate simulation", "simular simulacion"),
    ("solve", "resolver solucion"), ("sort", "ordenar clasificar"), ("start launch", "iniciar inicio empezar lanzar"), ("stop", "parar detener"), ("summarize summary", "resumir resumen"), ("teach", "ensenar"), ("test testing", "prueba probar ensayo"),
    ("train training", "entrenar entrenamiento formacion"), ("translate translation", "traducir traduccion"), ("update", "actualizar actualizacion"), ("upload", "subir"), ("write writing", "escribir escribe escritura redactar"),
    // Programs.
    ("account", "cuenta"), ("app application", "aplicacion"), ("branch", "rama"), ("browser", "navegador"), ("bug fault", "fallo defecto"), ("button", "boton"), ("cause", "causa"), ("code", "codigo"), ("command", "comando orden"),
    ("commit", "confirmacion"), ("component", "componente"), ("computer machine", "ordenador maquina computadora"), ("database", "datos"), ("debug debugging", "depurar depuracion"), ("dependency", "dependencia"), ("developer", "desarrollador"), ("device", "dispositivo"),
    ("fail failure", "fallar fallo"), ("feature", "funcionalidad caracteristica"), ("file", "archivo fichero"), ("folder directory", "carpeta directorio"), ("function", "funcion"), ("hardware", "equipo"),
    ("implementation implement", "implementacion implementar"), ("input", "entrada"), ("interface", "interfaz"), ("issue problem", "incidencia problema"), ("key", "clave"), ("language", "lenguaje idioma"), ("library", "biblioteca libreria"), ("link", "enlace"), ("memory", "memoria"),
    ("message", "mensaje"), ("network", "red"), ("output", "salida"), ("package", "paquete"), ("page", "pagina"), ("password", "contrasena"), ("performance", "rendimiento"), ("program", "programa"), ("query", "consulta"), ("refactor refactoring", "refactorizar"), ("release", "lanzamiento"), ("repository", "repositorio"),
    ("role", "rol papel"), ("screen", "pantalla"), ("security", "seguridad"), ("server", "servidor"), ("skill", "habilidad"), ("source", "fuente"), ("system", "sistema"), ("task", "tarea"), ("team", "equipo"), ("tool", "herramienta"), ("user", "usuario"),
    ("vulnerability", "vulnerabilidad"), ("web website site", "web sitio pagina"), ("workflow", "flujo"), ("audit", "auditar auditoria"), ("access", "acceso"), ("permission", "permiso"), ("documentation", "documentacion"), ("rule", "regla norma"),
    // Documents, data and science.
    ("article paper", "articulo"), ("author", "autor"), ("book", "libro"), ("certificate certification", "certificado certificacion"), ("chapter", "capitulo"), ("chart graph", "grafico grafica"), ("citation cite", "cita citar"), ("column", "columna"), ("data dataset", "datos"), ("diagram", "diagrama"), ("document", "documento"), ("drug", "farmaco medicamento"),
    ("experiment", "experimento"), ("figure", "figura"), ("form", "formulario"), ("heading title", "titulo encabezado"), ("health", "salud"), ("hypothesis", "hipotesis"), ("image picture", "imagen"), ("knowledge", "conocimiento"), ("letter", "carta letra"), ("list", "lista"), ("literature", "bibliografia literatura"), ("map", "mapa"), ("market", "mercado"), ("medical", "medico"),
    ("model", "modelo"), ("note", "nota"), ("number", "numero"), ("patient", "paciente"), ("poster", "cartel poster"), ("presentation", "presentacion"), ("quality", "calidad"), ("report", "informe reporte"), ("row", "fila"), ("science scientific", "ciencia cientifico"), ("sequence", "secuencia"), ("series", "serie"), ("sheet spreadsheet", "hoja"), ("slide", "diapositiva"),
    ("statistics", "estadistica"), ("table", "tabla"), ("template", "plantilla"), ("text", "texto"), ("time", "tiempo"), ("voice speech", "voz"), ("word", "palabra"), ("cell", "celula celda"), ("disease", "enfermedad"), ("law legal", "ley legal"), ("treatment", "tratamiento"), ("trial", "ensayo"),
    // Offices.
    ("agreement contract", "contrato acuerdo"), ("bank", "banco"), ("budget", "presupuesto"), ("business company", "empresa negocio"), ("client customer", "cliente"), ("cost price", "coste costo precio"), ("court", "tribunal juzgado"), ("date", "fecha"), ("deed", "escritura"), ("employee", "empleado trabajador"), ("expense", "gasto"), ("house property", "casa vivienda inmueble propiedad"),
    ("income revenue", "ingreso"), ("inheritance", "herencia"), ("insurance", "seguro"), ("invoice bill", "factura"), ("lease rent", "alquiler arrendamiento"), ("loan", "prestamo"), ("meeting", "reunion"), ("mortgage", "hipoteca"), ("notary", "notario notaria"), ("office", "oficina"), ("owner", "propietario dueno"), ("product", "producto"), ("project", "proyecto"), ("salary", "salario sueldo nomina"),
    ("shipping", "envio"), ("stock inventory", "existencias inventario"), ("supplier", "proveedor"), ("tax", "impuesto fiscal"), ("travel trip", "viaje"), ("will testament", "testamento"), ("work job", "trabajo"), ("year", "ano"),
];

/// The words of the other language that `word` of the language `from` can mean.
pub(super) fn translations(word: &str, from: Language) -> &'static [&'static str] {
    side(from).by_stem.get(&from.stem(word)).map_or(&[], Vec::as_slice)
}

/// The words that can be translated from a language, plurals included. Misspelt words are repaired to these.
pub(super) fn spellings(from: Language) -> &'static Vocabulary {
    &side(from).spellings
}

/// One direction of the table.
struct Side {
    /// Stems of one language with the words of the other.
    by_stem: HashMap<String, Vec<&'static str>>,
    spellings: Vocabulary,
}

struct Tables {
    english: Side,
    spanish: Side,
}

fn side(from: Language) -> &'static Side {
    match from {
        Language::English => &TABLES.english,
        Language::Spanish => &TABLES.spanish,
    }
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    english: read(Language::English, |(english, spanish)| (english, spanish)),
    spanish: read(Language::Spanish, |(english, spanish)| (spanish, english)),
});

fn read(from: Language, sides: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str)) -> Side {
    let mut by_stem: HashMap<String, Vec<&'static str>> = HashMap::new();
    let mut spellings = BTreeSet::new();
    for (own, other) in PAIRS.iter().copied().map(sides) {
        for word in own.split(' ') {
            let forms = [word.to_owned(), from.plural(word)];
            // `imagen` and `imágenes` have two stems.
            let stems = BTreeSet::from(forms.each_ref().map(|form| from.stem(form)));
            for stem in stems {
                by_stem.entry(stem).or_default().extend(other.split(' '));
            }
            spellings.extend(forms);
        }
    }
    Side { by_stem, spellings: Vocabulary::of_sorted(spellings.iter().map(String::as_str)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::search::words::{fold, words};

    #[test]
    fn a_plural_is_known_and_translated_even_where_its_stem_is_another() {
        let spanish = Language::Spanish;
        assert_ne!(spanish.stem("imagen"), spanish.stem("imagenes"));
        for word in ["imagen", "imagenes"] {
            assert!(translations(word, spanish).contains(&"image"), "{word}");
            assert!(spellings(spanish).find(word).is_some(), "{word}");
        }
    }

    #[test]
    fn the_table_is_folded_and_names_each_word_once_a_side() {
        for (english, spanish) in PAIRS {
            for side in [english, spanish] {
                assert_eq!(words(&fold(side)).collect::<Vec<_>>(), side.split(' ').collect::<Vec<_>>(), "{side}");
            }
        }
    }
}
