namespace Messaging.AzureServiceBus.Port;

/// <summary>Limits of the service.</summary>
internal static class ServiceBusLimits
{
    /// <summary>Maximum length of a dead letter's reason, and of its description, in characters.</summary>
    public const int DeadLetterText = 4096;

    /// <summary>Cuts the text to the limit, never within a surrogate pair.</summary>
    public static string CutDeadLetterText(string text) => text.Length <= DeadLetterText
        ? text
        : text[..(char.IsHighSurrogate(text[DeadLetterText - 1]) ? DeadLetterText - 1 : DeadLetterText)];
}
