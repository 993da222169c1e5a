namespace Lab.Techniques.Delegates;

/// <summary>The work as a value.</summary>
internal readonly struct ProcessOne(Mailbox mailbox, int weight) : IRun
{
    public void Run() => mailbox.Process(weight);
}
