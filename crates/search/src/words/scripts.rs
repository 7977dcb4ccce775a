//! Questions in many scripts.

use super::{SearchIndex, tests::document};
use skillmount_base::{limits::SEARCH_RESULTS, path::SkillPath};

const SKILLS: &[(&str, &str)] = &[
    ("arabic/عقود", "صياغة العقود وتحليل الميزانية السنوية للشركة"),
    ("russian/договоры", "Составляет договор купли-продажи и проверяет его условия."),
    ("hindi/अनुवाद", "दस्तावेज़ का अनुवाद और समीक्षा करता है।"),
    ("korean/예산", "예산 분석 보고서 작성"),
    ("chinese/合同", "起草房屋买卖合同并检查条款。"),
    ("greek/τιμολόγια", "Εκδίδει τιμολόγια για πελάτες."),
    ("code/kubernetes", "Operates kubernetes clusters and reads their logs."),
    ("code/postgres", "Tunes slow queries of PostgreSQL databases."),
];

fn found(query: &str) -> Vec<String> {
    let paths: Vec<SkillPath> = SKILLS.iter().map(|(path, _)| SkillPath::parse(path).unwrap()).collect();
    let documents = paths.iter().zip(SKILLS).map(|(path, (_, description))| document(path, description));
    let results = SearchIndex::build(documents).search(query, |_| true, SEARCH_RESULTS).unwrap();
    results.hits.into_iter().map(|hit| hit.skill.to_string()).collect()
}

#[test]
fn a_skill_is_found_by_a_question_in_its_own_script() {
    for (question, right) in [
        // With and without the article and the vowel signs.
        ("أريد تحليل ميزانية الشركة", "arabic/عقود"),
        ("مراجعة العُقُود", "arabic/عقود"),
        ("помогите составить договор аренды", "russian/договоры"),
        ("ПРОВЕРЬ УСЛОВИЯ ДОГОВОРА", "russian/договоры"),
        ("कृपया इस दस्तावेज़ का अनुवाद करो", "hindi/अनुवाद"),
        ("예산을 분석해줘", "korean/예산"),
        ("보고서를 작성하고 싶어요", "korean/예산"),
        ("合", "chinese/合同"),
        ("请检查合同", "chinese/合同"),
        ("예", "korean/예산"),
        ("τιμολογιο για πελάτη", "greek/τιμολόγια"),
    ] {
        assert_eq!(found(question).first().map(String::as_str), Some(right), "{question}");
    }
}

// S-SEARCH-21: A question may be a word, a sentence or a long message, misspelt, in English, Spanish, French, German or
// Portuguese.
#[test]
fn names_and_words_that_scripts_share_find_a_skill_from_any_of_them() {
    for (question, right) in [
        ("لماذا لا يعمل kubernetes عندي", "code/kubernetes"),
        ("почему падает кластер Kubernetes", "code/kubernetes"),
        ("PostgreSQL में धीमी क्वेरी", "code/postgres"),
        ("쿠버네티스 kubernetes 클러스터", "code/kubernetes"),
        ("postgresqlを速くする", "code/postgres"),
    ] {
        assert_eq!(found(question), [right], "{question}");
    }
}
