namespace Messaging.CloudFront.Events;

/// <summary>What an event notification says.</summary>
/// <param name="Objects">Objects that were created, in the event's order.</param>
/// <param name="Ignored">Records of other kinds (removed, restored, tagged, …), and S3's own test event.</param>
/// <param name="Fault">Why there is nothing to work on.</param>
/// <param name="Detail">For people: more about the fault; may be empty, never more than a few words of the event.</param>
internal readonly record struct S3Event(LogObject[] Objects, int Ignored, EventFault Fault = EventFault.None, string Detail = "");
