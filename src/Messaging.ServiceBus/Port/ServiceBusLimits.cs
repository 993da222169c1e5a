namespace Messaging.ServiceBus.Port;

/// <summary>Limits of the service.</summary>
internal static class ServiceBusLimits
{
    /// <summary>Characters of a dead letter's reason, and of its description.</summary>
    public const int DeadLetterText = 4096;

    /// <summary>The text, cut to what a dead letter may carry, never within a character.</summary>
    public static string CutDeadLetterText(string text) => text.Length <= DeadLetterText
        ? text
        : text[..(char.IsHighSurrogate(text[DeadLetterText - 1]) ? DeadLetterText - 1 : DeadLetterText)];
}
