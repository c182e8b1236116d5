"""
What a query may be made of: everything else is refused, so that what is new in a parser or a database stays out.

Functions are those that compute a value from their arguments alone. Left out, with the reason:

- files and network: `pg_read_file`, `lo_import`, `dblink`, `load_file`, `readfile`, `read_csv`, `glob`, `http_get`;
- writes: `nextval`, `setval`, `lo_create`, `set_config`, `set_bit` on large objects, advisory and named locks;
- time and processes: `pg_sleep`, `sleep`, `benchmark`, `sleep_ms`, `pg_terminate_backend`, `pg_reload_conf`;
- SQL in a text: `query`, `query_table`, `query_to_xml`, `json_execute_serialized_sql`, `load_extension`;
- what tells of the server, the session or hidden rows: `version`, `user`, `current_setting`, `stats`, `pragma_…`;
- chance, since the same data give the same bytes: `random`, `rand`, `uuid`, `gen_random_uuid`.

The operator's `functions` in connections.toml add those of one's own database.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of *text*, as a set."""
    return frozenset(text.split())


NODES = words(
    """
    Select Union Except Intersect Subquery With CTE TableAlias RecursiveWithSearch From Table Join Lateral
    Values Tuple Where Group Having Order Ordered Limit Offset Fetch LimitOptions Distinct Qualify Window
    WindowSpec Filter WithinGroup IgnoreNulls RespectNulls Rollup Cube GroupingSets All Any Some Alias
    Aliases Column Identifier Star Dot Paren Literal Null Boolean Var Interval IntervalSpan DataType
    DataTypeParam HexString BitString National RawString ByteString Introducer CharacterSet Collate
    PseudoType Placeholder Not Neg BitwiseNot Add Sub Mul Div Mod IntDiv DPipe BitwiseAnd BitwiseOr
    BitwiseXor BitwiseLeftShift BitwiseRightShift SafeDPipe EQ NEQ GT GTE LT LTE Is In Between Like ILike
    LikeAny ILikeAny SimilarTo Escape Glob NullSafeEQ NullSafeNEQ IsDistinctFrom RegexpLike RegexpILike
    Overlaps Bracket Slice Lambda Kwarg PropertyEQ Struct Comprehension AtTimeZone Cast TryCast JSON
    JSONPath JSONPathRoot JSONPathKey JSONPathSubscript JSONPathPart JSONPathWildcard JSONKeyValue
    JSONPathUnion JSONPathSlice JSONColumnDef JSONSchema FormatJson
    """
)
"""Names of sqlglot's nodes, apart from functions."""

FUNCTION_NODES = words(
    """
    Abs Acos Acosh AddMonths And AnyValue ApproxDistinct ApproxQuantile ArgMax ArgMin Array ArrayAgg
    ArrayAll ArrayAny ArrayAppend ArrayConcat ArrayContainedBy ArrayContains ArrayContainsAll ArrayDistinct
    ArrayExcept ArrayFilter ArrayFirst ArrayIntersect ArrayLast ArrayMax ArrayMin ArrayOverlaps
    ArrayPosition ArrayPrepend ArrayRemove ArrayReverse ArraySize ArraySlice ArraySort ArraySum
    ArrayToString ArrayUniqueAgg Ascii Asin Asinh Atan Atan2 Atanh Avg BitLength BitwiseAndAgg BitwiseCount
    BitwiseOrAgg BitwiseXorAgg ByteLength Case Cast CastToStrType Cbrt Ceil Chr Coalesce Collate Concat
    ConcatWs Contains ConvertToCharset Corr Cos Cosh Cot Count CountIf CovarPop CovarSamp CumeDist
    CurrentDate CurrentDatetime CurrentTime CurrentTimestamp Date DateAdd DateBin DateDiff DateFromParts
    DateStrToDate DateSub DateToDateStr DateToDi DateTrunc Datetime DatetimeAdd DatetimeDiff DatetimeSub
    DatetimeTrunc Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Dayname DecodeCase Degrees DenseRank
    DiToDate Elt EndsWith Exists Exp Explode ExplodingGenerateSeries Extract Factorial First FirstValue
    Flatten Floor Format FromBase GenerateDateArray GenerateSeries GenerateTimestampArray Greatest
    GroupConcat Grouping GroupingId Hex Hour If Initcap IsInf IsNan JSONArray JSONArrayAgg JSONArrayContains
    JSONBContains JSONBContainsAllTopKeys JSONBContainsAnyTopKeys JSONBContainsTopKey JSONBExists
    JSONBExtract JSONBExtractScalar JSONBObjectAgg JSONBPathExists JSONCast JSONExists JSONExtract
    JSONExtractArray JSONExtractScalar JSONFormat JSONKeys JSONObject JSONObjectAgg JSONTable JSONType
    JSONValueArray JarowinklerSimilarity JustifyDays JustifyHours JustifyInterval Kurtosis Lag Last LastDay
    LastValue Lead Least Left Length Levenshtein List Ln Localtime Localtimestamp Log LogicalAnd LogicalOr
    Lower MD5 MakeInterval MatchAgainst Max Median Min Minute Mode Month Monthname MonthsBetween Nanvl
    NthValue Ntile Nullif NumberToStr Nvl2 Or Overlay Pad ParseJSON PercentRank PercentileCont
    PercentileDisc Pi Pow Quantile Quarter Radians Rank RegexpCount RegexpExtract RegexpExtractAll
    RegexpFullMatch RegexpILike RegexpInstr RegexpLike RegexpReplace RegexpSplit RegexpSubstr RegrAvgx
    RegrAvgy RegrCount RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy Repeat Replace Reverse Right
    Rint Round RowNumber SHA SHA2 SafeDivide Second Sign Sin Sinh Skewness Soundex Space Split SplitPart
    Sqrt StartsWith Stddev StddevPop StddevSamp StrPosition StrToDate StrToTime StrToUnix String
    StringToArray Struct StructExtract Stuff Substring SubstringIndex Sum Tan Tanh Time TimeAdd TimeDiff
    TimeFromParts TimeStrToDate TimeStrToTime TimeStrToUnix TimeSub TimeToStr TimeToTimeStr TimeToUnix
    TimeTrunc Timestamp TimestampAdd TimestampDiff TimestampFromParts TimestampSub TimestampTrunc ToChar
    ToDays ToNumber Transform Translate Trim Trunc Try TryCast TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate
    TsOrDsToDateStr TsOrDsToDatetime TsOrDsToTime TsOrDsToTimestamp Typeof Unhex Unicode UnixDate UnixMicros
    UnixMillis UnixSeconds UnixToStr UnixToTime UnixToTimeStr Unnest Upper UtcDate UtcTime UtcTimestamp
    Variance VariancePop Week WeekOfYear WidthBucket Xor Year YearOfWeek YearOfWeekIso
    """
)
"""Names of the functions that sqlglot knows in all dialects."""

_COMMON = """
    abs ceil ceiling floor round trunc truncate mod power sqrt exp ln log log10 log2 sign pi degrees radians div
    sin cos tan asin acos atan atan2 cot
    coalesce nullif ifnull greatest least count sum avg min max total
    length char_length character_length octet_length bit_length lower upper trim ltrim rtrim btrim lpad rpad replace
    substr substring instr position strpos concat concat_ws left right reverse repeat ascii chr char hex format
    json_extract json_array_length json_type json_valid json_array json_object json_each
"""
FUNCTION_NAMES: dict[str, frozenset[str]] = {
    "postgres": words(
        f"""{_COMMON}
        age date_part date_bin make_date make_time make_timestamp make_timestamptz make_interval isfinite to_timestamp
        to_date to_char to_number justify_days justify_hours array_length array_ndims array_upper array_lower
        cardinality array_to_string string_to_array array_position array_positions array_remove array_replace array_cat
        num_nulls num_nonnulls unaccent f_unaccent normalize similarity word_similarity translate split_part initcap
        starts_with to_hex quote_literal bool_and bool_or every bit_and bit_or string_agg array_agg
        json_agg jsonb_agg json_object_agg jsonb_object_agg jsonb_array_elements jsonb_array_elements_text
        json_array_elements json_array_elements_text jsonb_array_length jsonb_build_object json_build_object
        jsonb_build_array json_build_array jsonb_typeof json_typeof jsonb_each jsonb_each_text json_each_text
        jsonb_object_keys json_object_keys to_json to_jsonb row_to_json jsonb_extract_path jsonb_extract_path_text
        json_extract_path json_extract_path_text jsonb_path_query jsonb_path_query_first jsonb_strip_nulls
        regexp_match regexp_matches regexp_split_to_array regexp_split_to_table regexp_like regexp_count regexp_substr
        regexp_instr regexp_replace scale trim_scale min_scale gcd lcm cbrt factorial width_bucket
        lower_inc upper_inc isempty daterange numrange int4range unnest generate_series generate_subscripts
        """
    ),
    "mysql": words(
        f"""{_COMMON}
        date_format period_add period_diff makedate maketime sec_to_time time_to_sec time_format timediff timestampdiff
        timestampadd timestamp str_to_date adddate subdate addtime subtime weekday yearweek microsecond to_days
        to_seconds from_days from_unixtime unix_timestamp get_format convert_tz isnull strcmp field find_in_set locate
        elt mid insert export_set make_set ord conv bin oct crc32 quote substring_index inet_ntoa inet_aton
        json_unquote json_value json_length json_depth json_keys json_contains json_contains_path json_search
        json_query json_merge_patch json_arrayagg json_objectagg bit_and bit_or bit_xor bit_count std any_value
        values group_concat
        """
    ),
    "sqlite": words(
        f"""{_COMMON}
        date time datetime julianday strftime unixepoch timediff iif printf quote typeof unicode glob like likely
        unlikely likelihood group_concat string_agg json jsonb json_tree json_group_array json_group_object json_quote
        json_set json_insert json_replace json_remove json_patch json_pretty median percentile acosh asinh atanh cosh
        sinh tanh octet_length unhex
        """
    ),
    "duckdb": words(
        f"""{_COMMON}
        strftime strptime try_strptime date_part datepart date_trunc datetrunc date_diff datediff date_sub datesub
        date_add make_date make_time make_timestamp epoch epoch_ms epoch_us monthname dayname last_day age
        to_years to_months to_days to_hours to_minutes to_seconds century decade millennium era time_bucket
        list_aggregate list_aggr list_sum list_avg list_min list_max list_count list_sort list_distinct list_unique
        list_contains list_has list_extract list_element list_slice list_filter list_transform list_reduce list_concat
        list_value list_position array_length len flatten string_split string_split_regex str_split split string_agg
        listagg regexp_matches regexp_extract regexp_extract_all regexp_full_match regexp_replace strip_accents
        contains prefix suffix starts_with ends_with jaro_similarity jaro_winkler_similarity levenshtein editdist3
        nfc_normalize translate quantile quantile_cont quantile_disc approx_count_distinct approx_quantile mad median
        mode product fsum favg kahan_sum sumkahan histogram arg_min arg_max min_by max_by first last any_value
        bool_and bool_or bit_and bit_or bit_xor entropy geomean geometric_mean skewness kurtosis even gcd lcm
        struct_pack struct_extract row map map_keys map_values map_entries map_from_entries element_at cardinality
        json_extract_string json_keys json_structure json_value json_contains to_json json_group_array
        json_group_object json_transform from_json range generate_series unnest isnan isinf isfinite
        """
    ),
}
"""Further functions, by dialect, in small letters."""

SYSTEM_SCHEMAS = frozenset(
    {"pg_catalog", "information_schema", "pg_toast", "mysql", "performance_schema", "sys", "system"}
)
SYSTEM_TABLE_PREFIXES = {
    "postgres": ("pg_",),
    "mysql": (),
    "sqlite": ("sqlite_", "pragma_", "dbstat"),
    "duckdb": ("duckdb_", "pragma_", "sqlite_master", "sqlite_schema", "pg_"),
}
"""Tables that tell of the server, its users or its files."""
