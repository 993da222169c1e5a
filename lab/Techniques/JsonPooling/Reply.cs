namespace Lab.Techniques.JsonPooling;

/// <summary>What is written as JSON.</summary>
internal sealed record Reply(string Id, string Sender, int Attempt, bool Final, string[] Lines);
