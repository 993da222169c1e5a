using Messaging.Sinks;

namespace Messaging.CloudFront;

/// <summary>How reading one log into documents ended.</summary>
/// <param name="Fault">What is wrong with the log; none when it was read to its verified end, or when the sink or the source failed before.</param>
/// <param name="Detail">For people: more about the fault; may be empty.</param>
/// <param name="Documents">What became of the documents; null when the log was not read to its end.</param>
/// <param name="SourceFailure">What reading the object ended in; null when it did not fail.</param>
/// <param name="Rows">Rows read, bad ones included.</param>
/// <param name="BadRows">Rows that were set aside.</param>
internal readonly record struct LogOutcome(LogFault Fault, string Detail, DocumentsResult? Documents, Exception? SourceFailure, long Rows, int BadRows);
