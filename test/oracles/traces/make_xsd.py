"""The V3 interface as XML Schema, written from the facts about it (release 8.2.1) and shared with nothing of the service.

Only what the facts state is in it: names, order, occurrences, lengths, value lists. Used by validate.py.
"""

NS = {
    "com": "http://ec.europa.eu/tracesnt/certificate/eudr/common/v3",
    "dds": "http://ec.europa.eu/tracesnt/certificate/eudr/due-diligence-statement/v3",
    "sd": "http://ec.europa.eu/tracesnt/certificate/eudr/simplified-declaration/v3",
    "ver": "http://ec.europa.eu/tracesnt/certificate/eudr/verify-declaration/v3",
    "echo": "http://ec.europa.eu/tracesnt/eudr/echo",
    "base": "http://ec.europa.eu/sanco/tracesnt/base/v4",
    "body": "http://ec.europa.eu/tracesnt/body/v3",
    "env": "http://schemas.xmlsoap.org/soap/envelope/",
    "wsse": "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
    "wsu": "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd",
}
EU = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI".split()


def head(prefix, qualified="qualified"):
    imports = "".join(
        f'<xs:import namespace="{uri}" schemaLocation="{name}.xsd"/>' for name, uri in NS.items() if name != prefix
    )
    declared = " ".join(f'xmlns:{name}="{uri}"' for name, uri in NS.items())
    return (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" {declared} targetNamespace="{NS[prefix]}" '
        f'elementFormDefault="{qualified}">{imports}'
    )


def simple(name, base, *facets):
    rules = "".join(f'<xs:{facet} value="{value}"/>' for facet, value in facets)
    return f'<xs:simpleType name="{name}"><xs:restriction base="xs:{base}">{rules}</xs:restriction></xs:simpleType>'


def text(name, least, most):
    return simple(name, "string", ("minLength", least), ("maxLength", most))


def words(name, values):
    return simple(name, "string", *[("enumeration", value) for value in values])


def el(name, kind, least=1, most=1):
    return f'<xs:element name="{name}" type="{kind}" minOccurs="{least}" maxOccurs="{most}"/>'


def seq(name, *elements):
    return f'<xs:complexType name="{name}"><xs:sequence>{"".join(elements)}</xs:sequence></xs:complexType>'


def root(name, *elements):
    return f'<xs:element name="{name}"><xs:complexType><xs:sequence>{"".join(elements)}</xs:sequence></xs:complexType></xs:element>'


def com():
    return head("com") + "".join(
        [
            simple("Uuid", "string", ("pattern", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")),
            simple("Reference", "string", ("maxLength", 14)),
            text("Verification", 5, 35),
            simple("Internal", "string", ("maxLength", 50)),
            simple("Country", "string", ("pattern", "[A-Za-z]{2}")),
            words("EuCountry", EU),
            simple("Heading", "string", ("pattern", "[0-9]{2,6}")),
            simple("Amount", "decimal", ("totalDigits", 16), ("fractionDigits", 6), ("minInclusive", 0), ("maxInclusive", "9999999999.999999")),
            simple("Percentage", "decimal", ("totalDigits", 18), ("fractionDigits", 3), ("minInclusive", 0)),
            words("Activity", ["DOMESTIC", "IMPORT", "EXPORT"]),
            words("IdentifierType", "eori vat gln tin cbr cin duns comp_num comp_reg oni".split()),
            text("Qualifier", 3, 4),
            simple("Max80", "string", ("maxLength", 80)),
            simple("Max150", "string", ("maxLength", 150)),
            simple("Max500", "string", ("maxLength", 500)),
            simple("Max2000", "string", ("maxLength", 2000)),
            text("T50", 1, 50), text("T80", 1, 80), text("T200", 1, 200), text("T250", 1, 250), text("T300", 1, 300),
            simple("Email", "string", ("pattern", r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
            seq("Identifier", el("identifierType", "com:IdentifierType"), el("identifierValue", "com:Max80")),
            seq("Address", el("country", "com:Country"), el("street", "com:T300"), el("postalCode", "com:T80"), el("city", "com:T200"), el("fullAddress", "com:T250", 0)),
            seq(
                "Operator",
                el("operatorReferenceNumber", "com:Identifier", 0, 12), el("operatorAddress", "com:Address", 0),
                el("operatorEmail", "com:Email", 0), el("operatorPhone", "com:T50", 0), el("operatorName", "com:T200"),
            ),
            seq(
                "Measure",
                el("percentageEstimationOrDeviation", "com:Percentage", 0), el("netWeight", "com:Amount", 0),
                el("supplementaryUnit", "com:Amount", 0), el("supplementaryUnitQualifier", "com:Qualifier", 0),
            ),
            seq("Descriptors", el("descriptionOfGoods", "com:Max150"), el("goodsMeasure", "com:Measure")),
            seq("Grouped", el("groupedDeclaration", "com:Reference")),
            seq("Pair", el("referenceNumber", "com:Reference"), el("verificationNumber", "com:Verification")),
            seq("UuidAndVersion", el("uuid", "com:Uuid"), el("versionNumber", "xs:integer", 0)),
        ]
    ) + "</xs:schema>"


def statement(prefix, reference):
    return seq(
        "Statement",
        reference,
        el("activityType", "com:Activity"),
        el("representedOperator", "com:Operator", 0),
        el("countryOfActivity", "com:EuCountry", 0),
        el("borderCrossCountry", "com:EuCountry", 0),
        el("comment", "com:Max2000", 0),
        el("commodities", f"{prefix}:Commodity", 1, 200),
        el("geoLocationConfidential", "xs:boolean"),
        el("groupedDeclarations", "com:Grouped", 0, 2000),
    )


def dds():
    return head("dds") + "".join(
        [
            words("Role", ["OPERATOR", "REPRESENTATIVE_OPERATOR"]),
            seq("Species", el("scientificName", "com:T200", 0), el("commonName", "com:T200", 0)),
            seq("Producer", el("position", "xs:integer", 0), el("country", "com:Country"), el("name", "com:Max500", 0), el("geometryGeojson", "xs:string")),
            seq(
                "Commodity",
                el("position", "xs:integer", 0), el("descriptors", "com:Descriptors"), el("hsHeading", "com:Heading"),
                el("speciesInfo", "dds:Species", 0, 500), el("producers", "dds:Producer", 0, 1000),
            ),
            statement("dds", el("internalReferenceNumber", "com:Internal", 0)),
            root("SubmitDdsRequest", el("operatorRole", "dds:Role"), el("statement", "dds:Statement")),
            root("AmendDdsRequest", el("uuid", "com:Uuid"), el("statement", "dds:Statement")),
            root("WithdrawDdsRequest", el("uuid", "com:Uuid")),
            root("GetDdsRequest", el("uuidList", "com:Uuid", 1, 100)),
            root("GetDdsByInternalReferenceRequest", el("internalReference", "com:Internal")),
            root("GetDdsByIdentifiersRequest", el("referenceAndVerificationNumber", "com:Pair")),
        ]
    ) + "</xs:schema>"


def sd():
    location = (
        '<xs:complexType name="Location"><xs:choice><xs:element name="geometryGeojson" type="xs:string"/>'
        '<xs:element name="postalAddress" type="sd:Postal" maxOccurs="100"/>'
        '<xs:element name="cadastralIdentifier" type="com:Max80" maxOccurs="100"/></xs:choice></xs:complexType>'
    )
    return head("sd") + "".join(
        [
            words("Role", ["MICRO_OPERATOR", "REPRESENTATIVE_MSPO", "MEMBER_STATE"]),
            seq("Postal", el("producerStreet", "com:T300", 0), el("producerPostalCode", "com:T80"), el("producerCity", "com:T200")),
            location,
            seq(
                "Producer",
                el("producerPosition", "xs:integer", 0), el("producerCountry", "com:Country"),
                el("producerName", "com:Max500", 0), el("producerLocation", "sd:Location"),
            ),
            seq(
                "Commodity",
                el("position", "xs:integer", 0), el("descriptors", "com:Descriptors"), el("hsHeading", "com:Heading"),
                el("producers", "sd:Producer", 0, 1000),
            ),
            statement("sd", el("internalReferenceNumber", "com:Reference")),
            root("SubmitSdRequest", el("operatorRole", "sd:Role"), el("statement", "sd:Statement")),
            root("UpdateSdRequest", el("sdIdentifier", "com:Uuid"), el("statement", "sd:Statement")),
            root("WithdrawSdRequest", el("sdIdentifier", "com:Uuid")),
            root("GetSdRequest", el("uuidAndVersionNumberList", "com:UuidAndVersion", 1, 100)),
            root("GetSdByInternalReferenceRequest", el("internalReference", "com:Internal")),
            root("GetSdByIdentifiersRequest", el("referenceAndVerificationNumber", "com:Pair")),
        ]
    ) + "</xs:schema>"


def ver():
    return head("ver") + root("VerifyDeclarationRequest", el("referenceNumber", "com:Reference"), el("verificationNumber", "com:Verification")) + "</xs:schema>"


def echo():
    return head("echo") + root("EudrEchoRequest", el("query", "xs:string")) + "</xs:schema>"


def base():
    return head("base") + '<xs:element name="WebServiceClientId" type="xs:token"/></xs:schema>'


def body():
    kinds = {"AuthorityActivityAccessIdentifier": 16, "OperatorAccessIdentifier": 16, "OrganicControlBodyAccessIdentifier": 16, "OtherBodyAccessIdentifier": 32}
    types = "".join(simple(f"I{n}", "token", ("maxLength", n)) for n in (16, 32))
    choice = "".join(f'<xs:element name="{kind}" type="body:I{n}"/>' for kind, n in kinds.items())
    return head("body", "unqualified") + types + f'<xs:element name="BodyIdentity"><xs:complexType><xs:choice>{choice}</xs:choice></xs:complexType></xs:element></xs:schema>'


def wsu():
    stamp = simple("Utc", "string", ("pattern", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z"))
    return head("wsu") + stamp + '<xs:element name="Created" type="wsu:Utc"/><xs:element name="Expires" type="wsu:Utc"/>' + (
        '<xs:element name="Timestamp"><xs:complexType><xs:sequence><xs:element ref="wsu:Created"/><xs:element ref="wsu:Expires"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
    )


def wsse():
    digest = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest"
    base64 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
    fixed = lambda name, attribute, value: (
        f'<xs:element name="{name}"><xs:complexType><xs:simpleContent><xs:extension base="xs:base64Binary">'
        f'<xs:attribute name="{attribute}" type="xs:anyURI" use="required" fixed="{value}"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>'
    )
    return head("wsse") + (
        '<xs:element name="Username" type="xs:string"/>' + fixed("Password", "Type", digest) + fixed("Nonce", "EncodingType", base64)
        + '<xs:element name="UsernameToken"><xs:complexType><xs:sequence><xs:element ref="wsse:Username"/><xs:element ref="wsse:Password"/>'
        '<xs:element ref="wsse:Nonce"/><xs:element ref="wsu:Created"/></xs:sequence></xs:complexType></xs:element>'
        '<xs:element name="Security"><xs:complexType><xs:sequence><xs:element ref="wsu:Timestamp"/><xs:element ref="wsse:UsernameToken"/></xs:sequence>'
        '<xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element></xs:schema>'
    )


def env():
    any_body = "".join(f'<xs:any namespace="{NS[name]}" processContents="strict"/>' for name in ("dds", "sd", "ver", "echo"))
    return head("env") + (
        '<xs:attribute name="mustUnderstand" type="xs:boolean"/>'
        '<xs:element name="Header"><xs:complexType><xs:sequence><xs:element ref="wsse:Security"/><xs:element ref="base:WebServiceClientId"/>'
        '<xs:element ref="body:BodyIdentity" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>'
        f'<xs:element name="Body"><xs:complexType><xs:choice>{any_body}</xs:choice></xs:complexType></xs:element>'
        '<xs:element name="Envelope"><xs:complexType><xs:sequence><xs:element ref="env:Header"/><xs:element ref="env:Body"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
    )


def all_schemas():
    return {name: make() for name, make in dict(com=com, dds=dds, sd=sd, ver=ver, echo=echo, base=base, body=body, wsu=wsu, wsse=wsse, env=env).items()}
