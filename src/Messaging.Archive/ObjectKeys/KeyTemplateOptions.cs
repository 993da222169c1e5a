using System.Globalization;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>How object keys are made. Checked as a whole by <see cref="KeyTemplate.TryCompile"/>; see docs/reference/object-keys.md.</summary>
internal sealed class KeyTemplateOptions
{
    /// <summary>The key rule of the seed.</summary>
    public const string DefaultTemplate = "{Product}/{SiteKey}/{EventName}/{EventDateUtc:yyyy/MM/dd/HH}/{MessageId}.json";

    /// <summary>The name of the id in a template, whatever property the id comes from.</summary>
    public const string DefaultMessageIdProperty = "MessageId";

    /// <summary>Fixed text and placeholders, in levels separated by slashes. Default <see cref="DefaultTemplate"/>.</summary>
    public string Template { get; set; } = DefaultTemplate;

    /// <summary>Whole levels in front of every key, such as <c>archive/prod</c>; the final slash is optional. Default none.</summary>
    public string KeyPrefix { get; set; } = "";

    /// <summary>
    /// The path of the message's id, followed by <c>:number</c> when the id is a number, by <c>:any</c> when it is a string or a number. Default
    /// <see cref="DefaultMessageIdProperty"/>.
    /// </summary>
    public string MessageIdProperty { get; set; } = DefaultMessageIdProperty;

    /// <summary>What to do with a message without a property of the key. Default <see cref="MissingPropertyRule.Default"/>.</summary>
    public MissingPropertyRule MissingProperty { get; set; } = MissingPropertyRule.Default;

    /// <summary>What to do with a value that does not fit its rule. Default <see cref="InvalidValueRule.Default"/>.</summary>
    public InvalidValueRule InvalidValue { get; set; } = InvalidValueRule.Default;

    /// <summary>What to do with a date that cannot be read. Default <see cref="InvalidDateRule.DeadLetter"/>.</summary>
    public InvalidDateRule InvalidDate { get; set; } = InvalidDateRule.DeadLetter;

    /// <summary>Custom date formats of .NET, tried in order on a date in none of the known forms. Default none.</summary>
    public IReadOnlyList<string> DateFormats { get; set; } = [];

    /// <summary>The metadata and tags of the objects. Default none.</summary>
    public IReadOnlyList<ObjectPropertyText> Properties { get; set; } = [];

    /// <summary>The time zone of the dates in keys: UTC, or an IANA name. Default UTC.</summary>
    public string TimeZone { get; set; } = "UTC";
}

/// <summary>What to do with a message in which a property of the key is missing, null or empty. A missing id has its own rule.</summary>
internal enum MissingPropertyRule
{
    /// <summary>The part is <c>unknown</c>; the levels of a date are left out.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>missing-property</c>.</summary>
    DeadLetter,
}

/// <summary>What to do with a message with a date that cannot be read.</summary>
internal enum InvalidDateRule
{
    /// <summary>It is dead-lettered as <c>bad-date</c>.</summary>
    DeadLetter = 0,

    /// <summary>The levels of the date are left out, as those of a missing one.</summary>
    LeaveOut,
}

/// <summary>What to do with a message with a value that does not fit the rule of its placeholder.</summary>
internal enum InvalidValueRule
{
    /// <summary>The part is <c>invalid</c>: all such values share a prefix.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>invalid-value</c>.</summary>
    DeadLetter,

    /// <summary>The value is escaped as by the rule <c>encode</c>.</summary>
    Encode,
}

/// <summary>One thing wrong with <see cref="KeyTemplateOptions"/>.</summary>
/// <param name="Setting">Name of the option.</param>
/// <param name="Position">Position in its text, counted in characters from 1.</param>
/// <param name="Problem">What is wrong; printable ASCII.</param>
/// <param name="Allowed">What is allowed.</param>
internal sealed record KeyTemplateError(string Setting, int Position, string Problem, string Allowed)
{
    /// <summary>One line for a configuration report.</summary>
    public override string ToString() => $"{Setting}, character {Position}: {Problem}. Allowed: {Allowed}.";
}

/// <summary>Collects the errors in the text of one setting.</summary>
internal sealed class KeyTextErrors(string setting, List<KeyTemplateError> errors)
{
    /// <summary>Adds an error.</summary>
    /// <param name="index">Index in the text, counted in characters from 0.</param>
    /// <param name="problem">What is wrong; printable ASCII.</param>
    /// <param name="allowed">What is allowed.</param>
    public void Add(int index, string problem, string allowed) => errors.Add(new KeyTemplateError(setting, index + 1, problem, allowed));

    /// <summary>A character in quotes, or its number when it is not printable ASCII.</summary>
    public static string Show(char c) => c is >= ' ' and <= '~' ? $"'{c}'" : string.Create(CultureInfo.InvariantCulture, $"U+{(int)c:X4}");
}
