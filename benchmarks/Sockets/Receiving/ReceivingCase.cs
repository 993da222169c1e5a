namespace Benchmarks.Sockets.Receiving;

/// <summary>One benchmark: receivers of a kind, each against the same sender.</summary>
/// <param name="Title">The subject, for the report's first line.</param>
/// <param name="File">The report's file name without its extension.</param>
/// <param name="Unit">The name of one message.</param>
/// <param name="ReceiverVerb">The command of the receiving process; its argument is the receiver's name.</param>
/// <param name="SenderVerb">The command of the sending process; its arguments are port and rate.</param>
/// <param name="Receivers">The receivers, the limit first.</param>
/// <param name="Baselines">Receivers that the others are compared with.</param>
/// <param name="MeasuresLoss">True when messages may be lost: the last receiver then runs once more, at half its rate.</param>
internal sealed record ReceivingCase(
    string Title, string File, string Unit, string ReceiverVerb, string SenderVerb, IReadOnlyList<string> Receivers, IReadOnlyList<string> Baselines,
    bool MeasuresLoss);
